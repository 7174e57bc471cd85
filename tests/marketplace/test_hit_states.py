from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from marketplace.errors import NothingLeft
from marketplace.models import HIT, AccessKey, HITType
from marketplace.services.assignments import accept_hit, return_assignment
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_submitted,
    make_worker,
)
from tests.marketplace.refusals import message, turk_code

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

PAST = timezone.now() - timedelta(days=400)


@pytest.fixture
def hit_type(key: AccessKey) -> HITType:
    return make_hit_type(key.requester)


def open_count(hit_type: HITType) -> int:
    return HITType.objects.get(pk=hit_type.pk).available_count


def status_of(mturk: "MTurkClient", hit: HIT) -> str:
    return mturk.get_hit(HITId=hit.hit_id)["HIT"]["HITStatus"]


def in_an_hour() -> object:
    return timezone.now() + timedelta(hours=1)


def test_a_hit_goes_from_assignable_to_unassignable_to_reviewable(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Assignable", 1)

    accepted = make_accepted(hit_type)
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Unassignable", 0)

    return_assignment(assignment=accepted)
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Assignable", 1)

    make_submitted(hit_type)
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Reviewable", 0)


def test_an_expiration_in_the_past_expires_at_once_and_one_ahead_revives(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type, max_assignments=2)

    mturk.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=PAST)
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Reviewable", 0)
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.00"
    with pytest.raises(NothingLeft):
        accept_hit(worker=make_worker(), group_id=hit_type.group_id)

    mturk.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=timezone.now() + timedelta(hours=1))
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Assignable", 2)
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.84"
    accept_hit(worker=make_worker(), group_id=hit_type.group_id)


def test_an_expired_hit_waits_for_whoever_accepted_it(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type, max_assignments=2)
    accepted = make_accepted(hit_type)

    mturk.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=PAST)
    assert status_of(mturk, hit) == "Unassignable"

    return_assignment(assignment=accepted)
    assert (status_of(mturk, hit), open_count(hit_type)) == ("Reviewable", 0)


def test_a_hit_can_get_more_assignments(mturk: "MTurkClient", hit_type: HITType) -> None:
    hit = make_hit(hit_type)
    make_submitted(hit_type)

    mturk.create_additional_assignments_for_hit(
        HITId=hit.hit_id, NumberOfAdditionalAssignments=3, UniqueRequestToken="extend-1"
    )
    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_additional_assignments_for_hit(
            HITId=hit.hit_id, NumberOfAdditionalAssignments=3, UniqueRequestToken="extend-1"
        )

    expected = 'The idempotency token "extend-1" has already been processed.'
    assert message(refused.value) == expected
    assert turk_code(refused.value) == "AWS.MechanicalTurk.DuplicateRequest"
    extended = mturk.get_hit(HITId=hit.hit_id)["HIT"]
    assert (extended["MaxAssignments"], extended["NumberOfAssignmentsAvailable"]) == (4, 3)
    assert extended["HITStatus"] == "Assignable"


def test_a_repeated_extension_is_a_repetition_also_when_it_would_reach_ten(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type, max_assignments=4)
    extension: Any = {
        "HITId": hit.hit_id,
        "NumberOfAdditionalAssignments": 5,
        "UniqueRequestToken": "extend-1",
    }
    mturk.create_additional_assignments_for_hit(**extension)

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_additional_assignments_for_hit(**extension)

    assert turk_code(refused.value) == "AWS.MechanicalTurk.DuplicateRequest"


def test_an_extension_that_was_refused_does_not_use_up_its_token(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type, max_assignments=4)
    fields: Any = {"HITId": hit.hit_id, "UniqueRequestToken": "extend-1"}
    with pytest.raises(mturk.exceptions.RequestError):
        mturk.create_additional_assignments_for_hit(**fields, NumberOfAdditionalAssignments=6)

    mturk.create_additional_assignments_for_hit(**fields, NumberOfAdditionalAssignments=5)

    assert mturk.get_hit(HITId=hit.hit_id)["HIT"]["MaxAssignments"] == 9


def test_a_small_hit_cannot_grow_to_ten(mturk: "MTurkClient", hit_type: HITType) -> None:
    hit = make_hit(hit_type, max_assignments=9)

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_additional_assignments_for_hit(
            HITId=hit.hit_id, NumberOfAdditionalAssignments=1
        )

    assert turk_code(refused.value) == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"


def test_reviewing_is_entered_from_reviewable_and_left_by_revert(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    with pytest.raises(mturk.exceptions.RequestError):
        mturk.update_hit_review_status(HITId=hit.hit_id)
    make_submitted(hit_type)

    mturk.update_hit_review_status(HITId=hit.hit_id)
    assert status_of(mturk, hit) == "Reviewing"
    with pytest.raises(mturk.exceptions.RequestError):
        mturk.update_hit_review_status(HITId=hit.hit_id)

    mturk.update_hit_review_status(HITId=hit.hit_id, Revert=True)
    assert status_of(mturk, hit) == "Reviewable"


def test_a_reviewing_hit_stays_so_while_its_assignments_are_decided(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    submitted = make_submitted(hit_type)
    mturk.update_hit_review_status(HITId=hit.hit_id)

    mturk.approve_assignment(AssignmentId=submitted.assignment_id)

    assert status_of(mturk, hit) == "Reviewing"


def test_only_a_reviewable_hit_with_nothing_to_review_can_be_deleted(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    refusals: list[str] = []
    for make in (lambda: None, lambda: make_submitted(hit_type)):
        make()
        with pytest.raises(mturk.exceptions.RequestError) as refused:
            mturk.delete_hit(HITId=hit.hit_id)
        assert turk_code(refused.value) == "AWS.MechanicalTurk.InvalidHITState"
        refusals.append(message(refused.value))
    assert refusals == [
        "This HIT is currently in the state 'Assignable'. "
        "This operation can be called with a status of: Reviewing, Reviewable",
        "This HIT is currently in the state 'Reviewable'. "
        "Submissions that are undecided: 1. Approve or reject them first.",
    ]
    mturk.approve_assignment(AssignmentId=hit.assignments.get().assignment_id)

    mturk.delete_hit(HITId=hit.hit_id)

    assert mturk.list_hits()["HITs"] == []
    assert status_of(mturk, hit) == "Disposed"
    with pytest.raises(mturk.exceptions.RequestError):
        mturk.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=timezone.now())


def test_a_reviewing_hit_can_be_deleted_once_all_is_decided(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    submitted = make_submitted(hit_type)
    mturk.update_hit_review_status(HITId=hit.hit_id)
    with pytest.raises(mturk.exceptions.RequestError, match="undecided"):
        mturk.delete_hit(HITId=hit.hit_id)
    mturk.approve_assignment(AssignmentId=submitted.assignment_id)

    mturk.delete_hit(HITId=hit.hit_id)

    assert status_of(mturk, hit) == "Disposed"


def test_a_repeated_extension_is_a_repetition_also_when_the_hit_is_deleted_since(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    extension: Any = {
        "HITId": hit.hit_id,
        "NumberOfAdditionalAssignments": 1,
        "UniqueRequestToken": "extend-1",
    }
    mturk.create_additional_assignments_for_hit(**extension)
    mturk.update_expiration_for_hit(HITId=hit.hit_id, ExpireAt=PAST)
    mturk.delete_hit(HITId=hit.hit_id)

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_additional_assignments_for_hit(**extension)

    assert turk_code(refused.value) == "AWS.MechanicalTurk.DuplicateRequest"


def test_reviewable_hits_are_listed_by_status_and_type(
    mturk: "MTurkClient", key: AccessKey, hit_type: HITType
) -> None:
    hit = make_hit(hit_type)
    make_submitted(hit_type)
    other_type = make_hit_type(key.requester)
    make_hit(other_type)

    def listed(**filters: str) -> list[str]:
        found = mturk.list_reviewable_hits(**filters)  # type: ignore[arg-type]
        return [found_hit["HITId"] for found_hit in found["HITs"]]

    assert listed() == listed(HITTypeId=hit_type.hit_type_id) == [hit.hit_id]
    assert listed(HITTypeId=other_type.hit_type_id) == listed(Status="Reviewing") == []


def test_hits_are_paged_newest_first_and_new_ones_do_not_shift_the_pages(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    made = [make_hit(hit_type).hit_id for _ in range(5)]

    first = mturk.list_hits(MaxResults=2)
    make_hit(hit_type)
    second = mturk.list_hits(MaxResults=2, NextToken=first["NextToken"])
    third = mturk.list_hits(MaxResults=2, NextToken=second["NextToken"])

    listed = [hit["HITId"] for page in (first, second, third) for hit in page["HITs"]]
    assert listed == made[::-1]
    assert [page["NumResults"] for page in (first, second, third)] == [2, 2, 1]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_page_with_results_has_a_token_and_an_empty_one_is_the_last(
    mturk: "MTurkClient", hit_type: HITType, count: int
) -> None:
    made = [make_hit(hit_type).hit_id for _ in range(count)]
    # As public scripts go through pages.
    page = mturk.list_hits(MaxResults=2)
    listed = [hit["HITId"] for hit in page["HITs"]]
    while page["NumResults"] > 0:
        page = mturk.list_hits(MaxResults=2, NextToken=page["NextToken"])
        listed += [hit["HITId"] for hit in page["HITs"]]

    assert listed == made[::-1]
    assert "NextToken" not in page


@pytest.mark.parametrize("token", ["nonsense", "x" * 255])
def test_a_page_token_that_was_not_given_out_is_refused(mturk: "MTurkClient", token: str) -> None:
    with pytest.raises(ClientError, match="ParameterValidationError.*NextToken"):
        mturk.list_hits(NextToken=token)


def test_a_page_token_is_good_for_its_own_list_only(
    mturk: "MTurkClient", hit_type: HITType
) -> None:
    for _ in range(2):
        make_hit(hit_type)
    token = mturk.list_hits(MaxResults=1)["NextToken"]

    assert len(token) <= 255
    with pytest.raises(ClientError, match="ParameterValidationError.*NextToken"):
        mturk.list_reviewable_hits(NextToken=token)


@pytest.mark.parametrize("size", [0, 101])
def test_a_page_holds_1_to_100(mturk: "MTurkClient", size: int) -> None:
    with pytest.raises(ClientError, match="ValidationException.*at 'maxResults' failed"):
        mturk.list_hits(MaxResults=size)
