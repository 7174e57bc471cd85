import json
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import time_machine
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from django.test import Client
from django.utils import timezone

from marketplace.models import AccessKey
from tests.marketplace.conftest import ENDPOINT, ClientFor, network
from tests.marketplace.refusals import http_status

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

BALANCE = "MTurkRequesterServiceV20170117.GetAccountBalance"


def signed_headers(key: AccessKey, body: bytes = b"{}", **changes: str) -> dict[str, str]:
    """Raw headers as a client of any language makes them."""
    request = AWSRequest(
        "POST",
        changes.get("url", ENDPOINT),
        headers={
            "Content-Type": "application/x-amz-json-1.1",
            "X-Amz-Target": changes.get("target", BALANCE),
        },
        data=body,
    )
    credentials = Credentials(key.access_key_id, key.secret_access_key)
    service = changes.get("service", "mturk-requester")
    SigV4Auth(credentials, service, changes.get("region", "us-east-1")).add_auth(request)
    return dict(request.headers)


def post(
    headers: Mapping[str, str], body: bytes = b"{}", path: str = "/mturk/", **extra: Any
) -> tuple[int, dict[str, Any]]:
    response = network().generic(
        "POST",
        path,
        body,
        content_type=headers.get("Content-Type", ""),
        headers={"Host": "localhost:8000", **headers},
        **extra,
    )
    return response.status_code, json.loads(response.content)


def test_a_signed_call_is_answered(key: AccessKey) -> None:
    status, answer = post(signed_headers(key))

    assert (status, answer["AvailableBalance"]) == (200, "10000.00")


def test_any_region_and_the_address_without_a_slash_will_do(key: AccessKey) -> None:
    headers = signed_headers(key, region="eu-north-1", url="http://localhost:8000/mturk")

    assert post(headers, path="/mturk")[0] == 200


def test_an_unknown_key_is_not_recognised(client_for: ClientFor, key: AccessKey) -> None:
    key.access_key_id = "FABULANOBODY00000000"

    with pytest.raises(ClientError, match="UnrecognizedClientException") as refused:
        client_for(key).get_account_balance()

    assert http_status(refused.value) == 400


def test_a_key_that_was_switched_off_is_not_recognised(
    client_for: ClientFor, key: AccessKey
) -> None:
    AccessKey.objects.update(is_active=False)

    with pytest.raises(ClientError, match="UnrecognizedClientException"):
        client_for(key).get_account_balance()


def test_a_wrong_secret_does_not_match(client_for: ClientFor, key: AccessKey) -> None:
    key.secret_access_key = "not the secret"

    with pytest.raises(ClientError, match="InvalidSignatureException") as refused:
        client_for(key).get_account_balance()

    assert "does not match" in str(refused.value)


def test_a_changed_body_does_not_match(key: AccessKey) -> None:
    status, answer = post(signed_headers(key), body=b'{"a": 1}')

    assert (status, answer["__type"]) == (400, "InvalidSignatureException")


def test_a_changed_target_host_or_path_does_not_match(key: AccessKey) -> None:
    headers = signed_headers(key)

    changes: list[dict[str, Any]] = [
        {"headers": headers | {"X-Amz-Target": BALANCE.replace("GetAccountBalance", "ListHITs")}},
        {"headers": headers | {"Host": "127.0.0.1:8000"}},
        {"headers": headers, "path": "/mturk"},
        {"headers": headers, "path": "/mturk/?a=1"},
        {"headers": headers, "RAW_URI": "/mturk/?b=2"},
    ]
    for change in changes:
        assert post(**change)[1]["__type"] == "InvalidSignatureException"


@pytest.mark.parametrize(
    ("minutes", "words"), [(-6, "Signature expired"), (6, "Signature not yet current")]
)
def test_a_clock_more_than_five_minutes_off_is_refused(
    key: AccessKey, minutes: int, words: str
) -> None:
    with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
        headers = signed_headers(key)

    status, answer = post(headers)

    assert (status, answer["__type"]) == (400, "InvalidSignatureException")
    assert words in answer["Message"]


def test_a_clock_four_minutes_off_is_fine(key: AccessKey) -> None:
    with time_machine.travel(timezone.now() - timedelta(minutes=4)):
        headers = signed_headers(key)

    assert post(headers)[0] == 200


def test_boto3_shows_a_skewed_clock_as_an_error(mturk: "MTurkClient") -> None:
    late = timezone.now() + timedelta(minutes=6)

    with (
        mock.patch("marketplace.protocol.views.timezone.now", return_value=late),
        pytest.raises(ClientError, match="Signature expired"),
    ):
        mturk.get_account_balance()


@pytest.mark.parametrize(
    ("change", "type_"),
    [
        ({"Authorization": ""}, "MissingAuthenticationTokenException"),
        ({"Authorization": "Basic dTpw"}, "IncompleteSignatureException"),
        ({"Authorization": "AWS4-HMAC-SHA256 Credential=a/b"}, "IncompleteSignatureException"),
        ({"Authorization": "AWS4-HMAC-SHA256 \u00e9"}, "IncompleteSignatureException"),
        ({"X-Amz-Date": "yesterday"}, "IncompleteSignatureException"),
        ({"X-Amz-Date": ""}, "IncompleteSignatureException"),
        ({"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"}, "InvalidSignatureException"),
        ({"X-Amz-Target": "MTurkRequesterServiceV20170117.Nope"}, "InvalidSignatureException"),
    ],
)
def test_a_malformed_signature_is_refused_in_words(
    key: AccessKey, change: dict[str, str], type_: str
) -> None:
    status, answer = post(signed_headers(key) | change)

    assert (status, answer["__type"]) == (400, type_)
    assert answer["Message"]


@pytest.mark.parametrize(
    ("old", "new", "type_"),
    [
        ("/aws4_request", "", "IncompleteSignatureException"),
        ("/aws4_request", "/aws5_request", "InvalidSignatureException"),
        ("/mturk-requester/", "/s3/", "InvalidSignatureException"),
        ("/us-east-1/", "/eu-west-1/", "InvalidSignatureException"),
        ("host;", "", "InvalidSignatureException"),
        ("x-amz-target", "x-amz-nothing", "InvalidSignatureException"),
        (";x-amz-target", ";x-amz-target;x-absent", "InvalidSignatureException"),
        ("Signature=", "Signature=\u00fc", "InvalidSignatureException"),
    ],
)
def test_a_tampered_authorization_is_refused(
    key: AccessKey, old: str, new: str, type_: str
) -> None:
    headers = signed_headers(key)
    assert old in headers["Authorization"]
    headers["Authorization"] = headers["Authorization"].replace(old, new)

    status, answer = post(headers)

    assert (status, answer["__type"]) == (400, type_)


def test_the_date_of_the_scope_must_be_the_day_of_the_call(key: AccessKey) -> None:
    headers = signed_headers(key)
    day = headers["X-Amz-Date"][:8]
    headers["Authorization"] = headers["Authorization"].replace(f"/{day}/", "/20200101/")

    assert post(headers)[1]["__type"] == "InvalidSignatureException"


def test_only_post_is_answered(key: AccessKey) -> None:
    assert Client().get("/mturk/").status_code == 405
