import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from botocore.exceptions import ClientError
from django.db import IntegrityError, transaction
from django.utils import timezone

from marketplace.answers import NAMESPACE
from marketplace.errors import NotRejected, RepliedAlready
from marketplace.models import AccessKey, Assignment, LedgerEntry
from marketplace.services.assignments import abandon_lapsed, return_assignment
from marketplace.services.reviews import reply_to_rejection
from tests.marketplace.conftest import ClientFor
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_key,
    make_submitted,
    make_worker,
)
from tests.marketplace.refusals import message, turk_code

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient


def test_a_submitted_assignment_is_listed_with_its_answer(
    mturk: "MTurkClient", submitted: Assignment
) -> None:
    listed = mturk.list_assignments_for_hit(HITId=submitted.hit.hit_id)

    assert listed["NumResults"] == 1
    found = listed["Assignments"][0]
    assert found["AssignmentId"] == submitted.assignment_id
    assert found["AssignmentStatus"] == "Submitted"
    assert found["AutoApprovalTime"] - found["SubmitTime"] == timedelta(days=3)
    answer = ElementTree.fromstring(found["Answer"])
    assert answer.findtext(f"{{{NAMESPACE}}}Answer/{{{NAMESPACE}}}FreeText") == "a quiet evening"
    assert mturk.get_assignment(AssignmentId=submitted.assignment_id)["Assignment"] == found


def test_approving_pays_reward_and_fee_once(mturk: "MTurkClient", submitted: Assignment) -> None:
    mturk.approve_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Thank you.")

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.approve_assignment(AssignmentId=submitted.assignment_id)

    assert turk_code(refused.value) == "AWS.MechanicalTurk.InvalidAssignmentState"
    entries = LedgerEntry.objects.filter(assignment=submitted)
    assert {(e.kind, str(e.amount_usd)) for e in entries} == {("reward", "-0.35"), ("fee", "-0.07")}
    assert mturk.get_account_balance()["AvailableBalance"] == "9999.58"
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.00"
    hit = mturk.get_assignment(AssignmentId=submitted.assignment_id)["HIT"]
    assert hit["NumberOfAssignmentsCompleted"] == 1


def test_rejecting_releases_the_funds_and_keeps_the_feedback(
    mturk: "MTurkClient", submitted: Assignment
) -> None:
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")

    found = mturk.get_assignment(AssignmentId=submitted.assignment_id)["Assignment"]
    assert (found["AssignmentStatus"], found["RequesterFeedback"]) == ("Rejected", "Copied.")
    assert mturk.get_account_balance()["AvailableBalance"] == "10000.00"


def test_a_rejection_needs_feedback(mturk: "MTurkClient", submitted: Assignment) -> None:
    with pytest.raises(ClientError, match="ValidationException.*RequesterFeedback is required"):
        mturk.reject_assignment(AssignmentId=submitted.assignment_id)  # type: ignore[call-arg]


def test_a_rejection_can_be_overridden_within_30_days(
    mturk: "MTurkClient", submitted: Assignment
) -> None:
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")

    with pytest.raises(mturk.exceptions.RequestError):
        mturk.approve_assignment(AssignmentId=submitted.assignment_id)
    mturk.approve_assignment(AssignmentId=submitted.assignment_id, OverrideRejection=True)

    found = mturk.get_assignment(AssignmentId=submitted.assignment_id)["Assignment"]
    assert found["AssignmentStatus"] == "Approved"
    assert mturk.get_account_balance()["AvailableBalance"] == "9999.58"


def test_a_rejection_of_long_ago_stays(mturk: "MTurkClient", submitted: Assignment) -> None:
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")
    Assignment.objects.update(submitted_at=timezone.now() - timedelta(days=30, seconds=1))

    with pytest.raises(mturk.exceptions.RequestError, match="more than 30 days ago"):
        mturk.approve_assignment(AssignmentId=submitted.assignment_id, OverrideRejection=True)


def test_a_rejection_under_a_deleted_hit_stays(mturk: "MTurkClient", submitted: Assignment) -> None:
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")
    mturk.delete_hit(HITId=submitted.hit.hit_id)

    with pytest.raises(mturk.exceptions.RequestError, match="in the state 'Disposed'"):
        mturk.approve_assignment(AssignmentId=submitted.assignment_id, OverrideRejection=True)


@pytest.mark.parametrize("status", ["Accepted", "Returned", "Abandoned"])
def test_an_assignment_that_was_not_submitted_is_not_for_requesters(
    mturk: "MTurkClient", key: AccessKey, status: str
) -> None:
    hit_type = make_hit_type(key.requester)
    make_hit(hit_type)
    accepted = make_accepted(hit_type)
    if status == "Returned":
        return_assignment(assignment=accepted)
    if status == "Abandoned":
        abandon_lapsed(hit_type=hit_type, at=accepted.deadline + timedelta(seconds=1))

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.get_assignment(AssignmentId=accepted.assignment_id)
    with pytest.raises(mturk.exceptions.RequestError) as not_approved:
        mturk.approve_assignment(AssignmentId=accepted.assignment_id)

    for refusal in (refused, not_approved):
        assert turk_code(refusal.value) == "AWS.MechanicalTurk.InvalidAssignmentState"
    expected = "This operation can be called with a status of: Reviewable,Approved,Rejected"
    assert message(refused.value) == expected
    assert mturk.list_assignments_for_hit(HITId=accepted.hit.hit_id)["NumResults"] == 0


def test_another_requesters_assignment_does_not_exist(
    client_for: ClientFor, submitted: Assignment
) -> None:
    stranger = client_for(make_key())

    for call in (stranger.get_assignment, stranger.approve_assignment):
        with pytest.raises(stranger.exceptions.RequestError) as refused:
            call(AssignmentId=submitted.assignment_id)
        assert turk_code(refused.value) == "AWS.MechanicalTurk.AssignmentDoesNotExist"
    with pytest.raises(stranger.exceptions.RequestError) as refused:
        stranger.list_assignments_for_hit(HITId=submitted.hit.hit_id)
    assert turk_code(refused.value) == "AWS.MechanicalTurk.HITDoesNotExist"


def test_assignments_are_paged_in_the_order_submitted_and_filtered_by_status(
    mturk: "MTurkClient", key: AccessKey
) -> None:
    hit_type = make_hit_type(key.requester)
    hit = make_hit(hit_type, max_assignments=9)
    made = [make_submitted(hit_type, make_worker()).assignment_id for _ in range(7)]
    for assignment_id in made[:3]:
        mturk.approve_assignment(AssignmentId=assignment_id)
    mturk.reject_assignment(AssignmentId=made[3], RequesterFeedback="Copied.")

    pages = list(
        mturk.get_paginator("list_assignments_for_hit").paginate(
            HITId=hit.hit_id, PaginationConfig={"PageSize": 2}
        )
    )
    decided = mturk.list_assignments_for_hit(
        HITId=hit.hit_id, AssignmentStatuses=["Approved", "Rejected"]
    )

    assert [len(page["Assignments"]) for page in pages] == [2, 2, 2, 1, 0]
    assert [a["AssignmentId"] for page in pages for a in page["Assignments"]] == made
    assert [a["AssignmentId"] for a in decided["Assignments"]] == made[:4]


# --- What the worker says to a rejection ----------------------------------------------------------


def test_a_reply_is_beside_the_rejection_for_whoever_reads_members_beyond_mturks(
    mturk: "MTurkClient", submitted: Assignment
) -> None:
    bodies: list[dict[str, Any]] = []
    mturk.meta.events.register(
        "before-parse.mturk.GetAssignment",
        lambda response_dict, **_: bodies.append(json.loads(response_dict["body"])["Assignment"]),
    )
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")
    mturk.get_assignment(AssignmentId=submitted.assignment_id)
    at = timezone.now()

    reply_to_rejection(assignment=submitted, text="It is mine.", at=at)
    found = mturk.get_assignment(AssignmentId=submitted.assignment_id)["Assignment"]

    assert "FabulaReply" not in bodies[0]
    assert bodies[1]["FabulaReply"] == "It is mine."
    assert bodies[1]["FabulaReplyTime"] == pytest.approx(at.timestamp())
    assert not [name for name in found if name.startswith("Fabula")]
    listed = mturk.list_assignments_for_hit(HITId=submitted.hit.hit_id)
    assert listed["Assignments"] == [found]


def test_a_rejection_is_answered_once(mturk: "MTurkClient", submitted: Assignment) -> None:
    with pytest.raises(NotRejected):
        reply_to_rejection(assignment=submitted, text="It is mine.", at=timezone.now())
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")

    first = reply_to_rejection(assignment=submitted, text="It is mine.", at=timezone.now())
    again = reply_to_rejection(assignment=submitted, text="It is mine.", at=timezone.now())
    with pytest.raises(RepliedAlready):
        reply_to_rejection(assignment=submitted, text="And more.", at=timezone.now())

    assert again.replied_at == first.replied_at
    assert Assignment.objects.get().worker_reply == "It is mine."


def test_a_reply_stays_when_the_rejection_is_overridden(
    mturk: "MTurkClient", submitted: Assignment
) -> None:
    mturk.reject_assignment(AssignmentId=submitted.assignment_id, RequesterFeedback="Copied.")
    reply_to_rejection(assignment=submitted, text="It is mine.", at=timezone.now())

    mturk.approve_assignment(AssignmentId=submitted.assignment_id, OverrideRejection=True)

    kept = Assignment.objects.get()
    assert (kept.status, kept.worker_reply) == ("Approved", "It is mine.")
    assert kept.requester_feedback == "Copied."


def test_the_database_keeps_no_reply_to_what_nobody_rejected(submitted: Assignment) -> None:
    replied = {"worker_reply": "It is mine.", "replied_at": timezone.now()}

    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.update(**replied)
