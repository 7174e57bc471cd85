from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from marketplace.models import HIT, AccessKey, RequestToken
from tests.marketplace.conftest import ClientFor
from tests.marketplace.factories import QUESTION, make_key
from tests.marketplace.refusals import error_code, http_status, message, turk_code

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

PROPERTIES: dict[str, Any] = {
    "Title": "Read five sentences",
    "Description": "Say what is true of someone in a short story.",
    "Reward": "0.35",
    "AssignmentDurationInSeconds": 1800,
    "Keywords": "story, reading",
    "AutoApprovalDelayInSeconds": 259200,
}
# As scripts send it: a whole page within CDATA.
HTML_QUESTION = (
    '<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd">'
    "<HTMLContent><![CDATA[<!DOCTYPE html><html><body></body></html>]]></HTMLContent>"
    "<FrameHeight>450</FrameHeight></HTMLQuestion>"
)
HIT_FIELDS: dict[str, Any] = {"LifetimeInSeconds": 86400, "Question": QUESTION}


def test_a_new_hit_has_everything_that_the_protocol_promises(mturk: "MTurkClient") -> None:
    made = mturk.create_hit(**PROPERTIES, **HIT_FIELDS, MaxAssignments=3)["HIT"]

    assert len(made["HITId"]) == 30
    assert made["HITStatus"] == "Assignable"
    assert made["Reward"] == "0.35"
    assert made["Question"] == QUESTION
    assert made["NumberOfAssignmentsAvailable"] == 3
    assert made["NumberOfAssignmentsPending"] == made["NumberOfAssignmentsCompleted"] == 0
    assert made["HITReviewStatus"] == "NotReviewed"
    assert made["Expiration"] - made["CreationTime"] == timedelta(days=1)
    assert mturk.get_hit(HITId=made["HITId"])["HIT"] == made


def test_times_are_whole_seconds_as_scripts_read_their_text(mturk: "MTurkClient") -> None:
    made = mturk.create_hit(**PROPERTIES, **HIT_FIELDS)["HIT"]

    for time in (made["CreationTime"], made["Expiration"]):
        assert datetime.strptime(str(time), "%Y-%m-%d %H:%M:%S%z") == time


def test_the_same_properties_give_the_same_hit_type(mturk: "MTurkClient") -> None:
    first = mturk.create_hit_type(**PROPERTIES)["HITTypeId"]

    again = mturk.create_hit_type(**PROPERTIES)["HITTypeId"]
    through_a_hit = mturk.create_hit(**PROPERTIES, **HIT_FIELDS)["HIT"]["HITTypeId"]
    other = mturk.create_hit_type(**PROPERTIES | {"Reward": "0.36"})["HITTypeId"]

    assert first == again == through_a_hit != other


def test_hits_of_one_type_share_a_group(mturk: "MTurkClient") -> None:
    hit_type = mturk.create_hit_type(**PROPERTIES)["HITTypeId"]

    hits = [
        mturk.create_hit_with_hit_type(HITTypeId=hit_type, **HIT_FIELDS)["HIT"] for _ in range(2)
    ]

    assert hits[0]["HITGroupId"] == hits[1]["HITGroupId"]
    assert hits[0]["HITId"] != hits[1]["HITId"]


def test_a_token_used_again_is_an_error_that_names_the_hit(mturk: "MTurkClient") -> None:
    fields = {**PROPERTIES, **HIT_FIELDS, "UniqueRequestToken": "slot-1"}
    made = mturk.create_hit(**fields)["HIT"]

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_hit(**fields)

    assert message(refused.value) == f'The HIT with ID "{made["HITId"]}" already exists.'
    assert turk_code(refused.value) == "AWS.MechanicalTurk.HitAlreadyExists"
    assert HIT.objects.count() == 1


def test_a_token_lapses_after_a_day(mturk: "MTurkClient") -> None:
    fields = {**PROPERTIES, **HIT_FIELDS, "UniqueRequestToken": "slot-1"}
    mturk.create_hit(**fields)
    RequestToken.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))

    mturk.create_hit(**fields)

    assert HIT.objects.count() == 2


def test_a_token_of_another_requester_is_not_in_the_way(
    mturk: "MTurkClient", client_for: ClientFor
) -> None:
    fields = {**PROPERTIES, **HIT_FIELDS, "UniqueRequestToken": "slot-1"}
    mturk.create_hit(**fields)

    client_for(make_key()).create_hit(**fields)

    assert HIT.objects.count() == 2


def test_publishing_holds_reward_and_fee_and_stops_when_funds_are_used_up(
    mturk: "MTurkClient", key: AccessKey
) -> None:
    assert mturk.get_account_balance()["AvailableBalance"] == "10000.00"

    mturk.create_hit(**PROPERTIES, **HIT_FIELDS, MaxAssignments=2)

    balance = mturk.get_account_balance()
    assert balance["AvailableBalance"] == "9999.16"
    assert balance["OnHoldBalance"] == "0.84"
    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_hit(**PROPERTIES, **HIT_FIELDS, MaxAssignments=1_000_000_000)
    assert turk_code(refused.value) == "AWS.MechanicalTurk.InsufficientFunds"
    key.requester.refresh_from_db()
    assert key.requester.on_hold_usd == Decimal("0.84")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"MaxAssignments": -3}, "MaxAssignments"),
        ({"MaxAssignments": 0}, "MaxAssignments"),
        ({"MaxAssignments": 1_000_000_001}, "MaxAssignments"),
        ({"MaxAssignments": 10**400}, "MaxAssignments"),
        ({"MaxAssignments": "3"}, "MaxAssignments"),
        ({"MaxAssignments": True}, "MaxAssignments"),
        ({"Reward": "9" * 30}, "Reward"),
        ({"Title": "x" * 129}, "Title"),
        ({"Title": ""}, "Title"),
        ({"Title": "a\x00b"}, "Title"),
        ({"Description": "x" * 2001}, "Description"),
        ({"Keywords": "x" * 1001}, "Keywords"),
        ({"LifetimeInSeconds": 29}, "LifetimeInSeconds"),
        ({"LifetimeInSeconds": 31536001}, "LifetimeInSeconds"),
        ({"AssignmentDurationInSeconds": 29}, "AssignmentDurationInSeconds"),
        ({"AutoApprovalDelayInSeconds": 2592001}, "AutoApprovalDelayInSeconds"),
        ({"RequesterAnnotation": "x" * 256}, "RequesterAnnotation"),
        ({"HITLayoutId": "3ABC"}, "HITLayoutId"),
        ({"HITReviewPolicy": {"PolicyName": "SimplePlurality/2011-09-01"}}, "HITReviewPolicy"),
        ({"Question": "<HTMLQuestion/>"}, "HTMLQuestion"),
        ({"Question": HTML_QUESTION}, "HTMLQuestion is not available"),
        ({"Question": QUESTION.replace("https:", "http:")}, "https"),
        ({"Question": QUESTION + " " * 65535}, "65535"),
    ],
)
def test_a_parameter_out_of_bounds_is_named(
    mturk: "MTurkClient", change: dict[str, Any], named: str
) -> None:
    with pytest.raises(ClientError, match=named) as refused:
        mturk.create_hit(**{**PROPERTIES, **HIT_FIELDS, **change})

    assert not isinstance(refused.value, mturk.exceptions.RequestError)
    assert http_status(refused.value) == 400
    assert error_code(refused.value) == "ParameterValidationError"
    assert HIT.objects.count() == 0


def test_a_value_that_cannot_be_is_shown_and_named_as_mturk_does(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError) as refused:
        mturk.create_hit(**PROPERTIES | HIT_FIELDS | {"MaxAssignments": 0})

    assert message(refused.value).startswith(
        'The value "0" is not valid for the parameter MaxAssignments. '
    )


MONEY = r"satisfy regular expression pattern: ^[0-9]+(\.)?[0-9]{0,2}$"


@pytest.mark.parametrize(
    ("change", "where", "rule"),
    [
        ({"Reward": "abc"}, "reward", MONEY),
        ({"Reward": "٣"}, "reward", MONEY),
        ({"Reward": "-0.35"}, "reward", MONEY),
        ({"Reward": "0.355"}, "reward", MONEY),
        ({"Reward": "0.35\n"}, "reward", MONEY),
        (
            {"UniqueRequestToken": "x" * 65},
            "uniqueRequestToken",
            "have length less than or equal to 64",
        ),
        (
            {"UniqueRequestToken": ""},
            "uniqueRequestToken",
            "have length greater than or equal to 1",
        ),
        (
            {
                "QualificationRequirements": [
                    {
                        "QualificationTypeId": "00000000000000000040",
                        "Comparator": "Exists",
                        "ActionsGuarded": "Everything",
                    }
                ]
            },
            "qualificationRequirements.1.member.actionsGuarded",
            "satisfy enum value set: [Accept, PreviewAndAccept, DiscoverPreviewAndAccept]",
        ),
    ],
)
def test_a_value_against_the_model_is_refused_in_awss_words(
    mturk: "MTurkClient", change: dict[str, Any], where: str, rule: str
) -> None:
    with pytest.raises(ClientError) as refused:
        mturk.create_hit(**{**PROPERTIES, **HIT_FIELDS, **change})

    said = message(refused.value)
    assert error_code(refused.value) == "ValidationException"
    assert said.startswith("1 validation error detected: Value '")
    assert said.endswith(f"' at '{where}' failed to satisfy constraint: Member must {rule}")
    assert HIT.objects.count() == 0


def test_two_values_against_the_model_are_counted(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError) as refused:
        mturk.create_hit(**PROPERTIES | HIT_FIELDS | {"Reward": "x", "UniqueRequestToken": ""})

    said = message(refused.value)
    assert said.startswith("2 validation errors detected: Value 'x' at 'reward' failed")
    assert "; Value '' at 'uniqueRequestToken' failed" in said


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("<no", "not well-formed"),
        ("<ExternalQuestion/>", "schema 2006-07-14"),
        (QUESTION.replace("https:", "javascript:"), "ExternalURL"),
        (QUESTION.replace("600", "tall"), "FrameHeight"),
        (QUESTION.replace("</FrameHeight>", "</FrameHeight><Border>1</Border>"), "no Border"),
        (QUESTION.replace("</FrameHeight>", "</FrameHeight><x:A xmlns:x='y'/>"), "has no {y}A"),
        (
            QUESTION.replace(
                "<FrameHeight>", "<ExternalURL>https://b.org/</ExternalURL><FrameHeight>"
            ),
            "one ExternalURL",
        ),
        (QUESTION.replace("/open", "/open it"), "space"),
        (QUESTION.replace("/open", "/open\nit"), "space"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]>" + QUESTION, "document type"),
        ("\ufeff<?xml version='1.0'?>\n<!-- a --><!DOCTYPE x>" + QUESTION, "document type"),
    ],
)
def test_a_question_that_is_not_of_the_schema_is_an_error_of_its_xml(
    mturk: "MTurkClient", question: str, named: str
) -> None:
    with pytest.raises(ClientError, match=named) as refused:
        mturk.create_hit(**PROPERTIES | HIT_FIELDS | {"Question": question})

    assert message(refused.value).startswith("There was an error parsing the XML question")
    assert error_code(refused.value) == "ParameterValidationError"
    assert HIT.objects.count() == 0


def test_a_hit_without_a_question_lacks_a_member(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError, match="Question is required") as refused:
        mturk.create_hit(**PROPERTIES, LifetimeInSeconds=60)

    assert error_code(refused.value) == "ValidationException"


def test_another_requesters_hit_type_does_not_exist(
    mturk: "MTurkClient", client_for: ClientFor
) -> None:
    hit_type = mturk.create_hit_type(**PROPERTIES)["HITTypeId"]
    stranger = client_for(make_key())

    with pytest.raises(stranger.exceptions.RequestError, match=hit_type):
        stranger.create_hit_with_hit_type(HITTypeId=hit_type, **HIT_FIELDS)
