import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marketplace.models import AccessKey
from marketplace.protocol.model import OPERATION_NAMES, operation_model
from marketplace.protocol.registry import registered
from tests.marketplace.conftest import ClientFor, answer_in_process, boto_client
from tests.marketplace.factories import QUESTION
from tests.marketplace.test_create_hits import HIT_FIELDS, PROPERTIES
from tests.marketplace.test_sign_requests import post, signed_headers

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

PREFIX = "MTurkRequesterServiceV20170117"
# Registers the operations.
import_module("marketplace.urls")


def call(key: AccessKey, operation: str, body: bytes) -> tuple[int, dict[str, Any]]:
    headers = signed_headers(key, body, target=f"{PREFIX}.{operation}")
    return post(headers, body)


def test_a_missing_parameter_is_named(key: AccessKey) -> None:
    status, answer = call(key, "GetHIT", b"{}")

    assert status == 400
    assert answer == {
        "__type": "ValidationException",
        "Message": "HITId is required.",
    }


@pytest.mark.parametrize(
    ("change", "code"),
    [({"Title": ""}, "InvalidParameterValue"), ({"Question": "<no"}, "XMLParseError")],
)
def test_what_can_never_be_right_has_mturks_type_and_code(
    key: AccessKey, change: dict[str, Any], code: str
) -> None:
    body = json.dumps(PROPERTIES | HIT_FIELDS | change).encode()

    status, answer = call(key, "CreateHIT", body)

    assert (status, answer["__type"]) == (400, "ParameterValidationError")
    assert answer["TurkErrorCode"] == f"AWS.MechanicalTurk.{code}"


def test_a_parameter_that_the_call_does_not_have_is_named(key: AccessKey) -> None:
    answer = call(key, "ListHITs", b'{"PageNumber": 2, "\\u0000\\ud800": 1}')[1]

    assert "PageNumber is not a parameter of this call." in answer["Message"]


@pytest.mark.parametrize("operation", sorted(OPERATION_NAMES - registered()))
def test_an_operation_not_built_yet_says_so(key: AccessKey, operation: str) -> None:
    status, answer = call(key, operation, b"{}")

    assert (status, answer["__type"]) == (400, "RequestError")
    assert answer["Message"].startswith(f"{operation} is not available yet")


def test_the_operations_promised_so_far_are_there() -> None:
    assert registered() == {
        "ApproveAssignment",
        "AssociateQualificationWithWorker",
        "CreateAdditionalAssignmentsForHIT",
        "CreateHIT",
        "CreateHITType",
        "CreateHITWithHITType",
        "CreateQualificationType",
        "CreateWorkerBlock",
        "DeleteHIT",
        "DeleteQualificationType",
        "DeleteWorkerBlock",
        "DisassociateQualificationFromWorker",
        "GetAccountBalance",
        "GetAssignment",
        "GetHIT",
        "GetQualificationScore",
        "GetQualificationType",
        "ListAssignmentsForHIT",
        "ListBonusPayments",
        "ListHITs",
        "ListHITsForQualificationType",
        "ListQualificationTypes",
        "ListReviewableHITs",
        "ListWorkerBlocks",
        "ListWorkersWithQualificationType",
        "NotifyWorkers",
        "RejectAssignment",
        "SendBonus",
        "SendTestEventNotification",
        "UpdateExpirationForHIT",
        "UpdateHITReviewStatus",
        "UpdateNotificationSettings",
        "UpdateQualificationType",
    }


def test_an_operation_of_another_service_is_unknown(key: AccessKey) -> None:
    headers = signed_headers(key, target="DynamoDB_20120810.ListTables")

    assert post(headers)[1]["__type"] == "UnknownOperationException"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b'{"HITId": NaN}',
        b"[" * 100_000,
        b'{"HITId":' * 5_000,
        b'{"MaxResults": ' + b"9" * 5_000 + b"}",
    ],
)
def test_a_body_that_is_no_json_object_is_not_understood(key: AccessKey, body: bytes) -> None:
    status, answer = call(key, "GetHIT", body)

    assert (status, answer["__type"]) == (400, "SerializationException")


def test_an_empty_body_is_an_empty_object(key: AccessKey) -> None:
    assert call(key, "GetAccountBalance", b"")[0] == 200


def test_a_body_of_more_than_five_megabytes_is_refused(key: AccessKey) -> None:
    body = b'{"HITId": "' + b"3" * 6_000_000 + b'"}'

    assert call(key, "GetHIT", body)[1]["__type"] == "SerializationException"


@pytest.mark.parametrize("when", ["1e999", "1e300", "-1e15", '"2026-01-01T00:00:00Z"', "true"])
def test_a_time_that_cannot_be_is_refused(key: AccessKey, when: str) -> None:
    body = f'{{"HITId": "3A", "ExpireAt": {when}}}'.encode()

    status, answer = call(key, "UpdateExpirationForHIT", body)

    assert (status, answer["__type"]) == (400, "ParameterValidationError")
    assert "ExpireAt" in answer["Message"]


def test_a_client_that_has_only_the_host_is_told_the_address(key: AccessKey) -> None:
    client = boto_client("http://localhost:8000", key.access_key_id, key.secret_access_key)
    events: Any = client.meta.events
    events.register("before-send", answer_in_process)

    with pytest.raises(ClientError) as refused:
        client.get_account_balance()

    expected = "The endpoint of this marketplace is http://localhost:8000/mturk/."
    assert refused.value.response["Error"]["Message"] == expected
    assert refused.value.response["ResponseMetadata"]["RequestId"]


def test_anybody_else_at_the_host_goes_to_the_worker_site(client: Client) -> None:
    assert client.get("/")["Location"] == "/worker/"


def test_every_answer_has_an_id(mturk: "MTurkClient") -> None:
    answers: list[Any] = [mturk.get_account_balance()]
    with pytest.raises(ClientError) as refused:
        mturk.get_hit(HITId="3UNKNOWN")
    answers.append(refused.value.response)

    for answer in answers:
        metadata = answer["ResponseMetadata"]
        assert metadata["RequestId"] == metadata["HTTPHeaders"]["x-request-id"]


def test_an_answer_without_a_signature_has_an_id(client: Client) -> None:
    for answer in (client.post("/mturk/"), client.get("/mturk")):
        assert answer["x-amzn-RequestId"] == answer["X-Request-ID"]


@pytest.mark.parametrize("mode", ["legacy", "standard"])
def test_while_the_database_is_away_boto3_is_told_and_tries_again(
    client_for: ClientFor, key: AccessKey, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    tries: list[object] = []

    def away(*arguments: object) -> None:
        tries.append(arguments)
        raise OperationalError("the server closed the connection unexpectedly")

    client = client_for(key, {"mode": mode, "total_max_attempts": 3})
    with monkeypatch.context() as patched, pytest.raises(ClientError) as refusal:
        patched.setattr(BaseDatabaseWrapper, "_cursor", away)
        patched.setattr("time.sleep", lambda seconds: None)
        client.get_account_balance()

    assert refusal.value.response["Error"]["Code"] == "ServiceFault"
    assert len(tries) == 3


TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", "\x00", "\ud800", "3ABC", "A1", "0.35", "1e5", QUESTION, "http://localhost:9/", "US"]
    ),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(10**30), max_value=10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An operation with a body that is nearly right: its own members, any values."""
    operation = draw(st.sampled_from(sorted(OPERATION_NAMES)))
    shape: Any = operation_model(operation).input_shape
    members = {
        name: draw(value_for(member) | JSON_VALUES)
        for name, member in shape.members.items()
        if name in shape.required_members or draw(st.booleans())
    }
    return operation, members | draw(st.dictionaries(TEXTS, JSON_VALUES, max_size=1))


def value_for(shape: Any) -> st.SearchStrategy[Any]:
    if shape.type_name == "structure":
        return st.fixed_dictionaries(
            {n: value_for(m) for n, m in shape.members.items() if n in shape.required_members},
            optional={
                n: value_for(m) for n, m in shape.members.items() if n not in shape.required_members
            },
        )
    if shape.type_name == "list":
        return st.lists(value_for(shape.member), max_size=3)
    if "enum" in shape.metadata:
        return st.sampled_from(shape.metadata["enum"])
    return {
        "string": TEXTS,
        "boolean": st.booleans(),
        "timestamp": st.integers(-(10**12), 10**12) | st.floats(allow_nan=False),
    }.get(shape.type_name, st.integers(-5, 10**10))


@pytest.mark.django_db
@settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(drawn=calls())
def test_no_body_makes_the_server_fail(key: AccessKey, drawn: tuple[str, dict[str, Any]]) -> None:
    operation, members = drawn
    body = json.dumps(members).replace("Infinity", "1e999").encode()

    status, answer = call(key, operation, body)

    assert status in (200, 400)
    assert status == 200 or answer["__type"]
