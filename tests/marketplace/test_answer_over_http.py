"""The same client against a real server: nothing between them but a socket."""

from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError, ParamValidationError
from pytest_django.live_server_helper import LiveServer

from marketplace.models import HITType
from tests.marketplace.factories import make_key, make_submitted
from tests.marketplace.refusals import error_code, turk_code
from tests.marketplace.test_create_hits import HIT_FIELDS, PROPERTIES

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient


def test_a_hit_is_created_listed_approved_and_deleted(mturk_over_http: "MTurkClient") -> None:
    mturk = mturk_over_http
    made = mturk.create_hit(**PROPERTIES, **HIT_FIELDS)["HIT"]
    assert [hit["HITId"] for hit in mturk.list_hits()["HITs"]] == [made["HITId"]]

    submitted = make_submitted(HITType.objects.get())
    mturk.approve_assignment(AssignmentId=submitted.assignment_id)
    mturk.delete_hit(HITId=made["HITId"])

    assert mturk.list_hits()["HITs"] == []
    assert mturk.get_hit(HITId=made["HITId"])["HIT"]["HITStatus"] == "Disposed"


def test_a_negative_number_of_assignments_is_mturks_error(mturk_over_http: "MTurkClient") -> None:
    with pytest.raises(ClientError) as refused:
        mturk_over_http.create_hit(**PROPERTIES, **HIT_FIELDS, MaxAssignments=-3)

    assert error_code(refused.value) == "ParameterValidationError"


def test_a_client_with_nothing_changed_but_the_address_works(live_server: LiveServer) -> None:
    key = make_key()
    mturk = boto3.client(
        "mturk",
        endpoint_url=f"{live_server.url}/mturk/",
        region_name="us-east-1",
        aws_access_key_id=key.access_key_id,
        aws_secret_access_key=key.secret_access_key,
    )

    assert mturk.get_account_balance()["AvailableBalance"] == "10000.00"
    with pytest.raises(ParamValidationError):
        mturk.get_hit()  # type: ignore[call-arg]
    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.get_hit(HITId="3NOSUCHHIT")
    assert turk_code(refused.value) == "AWS.MechanicalTurk.HITDoesNotExist"
