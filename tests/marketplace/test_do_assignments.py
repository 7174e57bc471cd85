from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError
from django.utils import timezone

from marketplace.errors import (
    AlreadyHolding,
    AlreadySubmitted,
    AssignmentNotFound,
    AssignmentReturned,
    HoldingTooMany,
    NothingLeft,
    TimeRanOut,
)
from marketplace.models import Assignment, HITType
from marketplace.services.assignments import (
    accept_hit,
    return_assignment,
    submit_assignment,
)
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_requester,
    make_submitted,
    make_worker,
)

pytestmark = pytest.mark.django_db
FIELDS = [("answer", "yes")]


@pytest.fixture
def hit_type() -> HITType:
    return make_hit_type()


def open_count(hit_type: HITType) -> int:
    return HITType.objects.get(pk=hit_type.pk).available_count


def after(**time: float) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(**time), tick=True)


def test_an_accepted_hit_has_the_time_that_its_type_allows(hit_type: HITType) -> None:
    make_hit(hit_type)

    accepted = make_accepted(hit_type)

    assert accepted.deadline - accepted.accepted_at == timedelta(minutes=30)
    assert len(accepted.assignment_id) == 30
    assert open_count(hit_type) == 0


def test_accepting_again_while_holding_one_points_to_it(hit_type: HITType) -> None:
    for _ in range(2):
        make_hit(hit_type)
    worker = make_worker()
    held = make_accepted(hit_type, worker)

    with pytest.raises(AlreadyHolding) as refused:
        accept_hit(worker=worker, group_id=hit_type.group_id)

    assert refused.value.assignment == held
    assert open_count(hit_type) == 1


def test_a_worker_holds_at_most_ten_at_once() -> None:
    requester, worker = make_requester(), make_worker()
    groups = [make_hit_type(requester) for _ in range(11)]
    for group in groups:
        make_hit(group)
    for group in groups[:10]:
        make_accepted(group, worker)

    with pytest.raises(HoldingTooMany, match="10"):
        accept_hit(worker=worker, group_id=groups[10].group_id)


def test_a_worker_gets_each_hit_once(hit_type: HITType) -> None:
    hits = {make_hit(hit_type, max_assignments=2).pk for _ in range(2)}
    worker = make_worker()

    done = {make_submitted(hit_type, worker).hit_id for _ in range(2)}

    assert done == hits
    with pytest.raises(NothingLeft):
        accept_hit(worker=worker, group_id=hit_type.group_id)
    assert open_count(hit_type) == 2


def test_a_returned_hit_comes_back_to_the_same_worker_only_when_no_other_is_left(
    hit_type: HITType,
) -> None:
    for _ in range(2):
        make_hit(hit_type)
    worker = make_worker()
    first = make_accepted(hit_type, worker)
    return_assignment(assignment=first)

    second = make_submitted(hit_type, worker)
    third = make_accepted(hit_type, worker)

    assert second.hit_id != first.hit_id
    assert third.hit_id == first.hit_id
    assert third.assignment_id != first.assignment_id


def test_returning_frees_the_slot_at_once(hit_type: HITType) -> None:
    make_hit(hit_type)
    accepted = make_accepted(hit_type)

    return_assignment(assignment=accepted)
    return_assignment(assignment=accepted)

    assert open_count(hit_type) == 1
    make_accepted(hit_type)


def test_what_was_submitted_or_has_lapsed_cannot_be_returned(hit_type: HITType) -> None:
    for _ in range(2):
        make_hit(hit_type)
    submitted, accepted = make_submitted(hit_type), make_accepted(hit_type)

    with pytest.raises(AlreadySubmitted):
        return_assignment(assignment=submitted)
    with after(minutes=31), pytest.raises(TimeRanOut):
        return_assignment(assignment=accepted)


def test_a_lapsed_slot_goes_to_the_next_worker_before_the_clock_has_noticed(
    hit_type: HITType,
) -> None:
    make_hit(hit_type)
    lapsed = make_accepted(hit_type)
    with pytest.raises(NothingLeft):
        make_accepted(hit_type)

    with after(minutes=31):
        taken = make_accepted(hit_type)

    lapsed.refresh_from_db()
    assert (lapsed.status, taken.hit_id) == (Assignment.Status.ABANDONED, lapsed.hit_id)


def test_submitting_twice_gives_the_first_submission(hit_type: HITType) -> None:
    make_hit(hit_type)
    accepted = make_accepted(hit_type)

    first = submit_assignment(assignment_id=accepted.assignment_id, fields=FIELDS)
    with after(minutes=31):
        again = submit_assignment(assignment_id=accepted.assignment_id, fields=[("answer", "no")])

    assert again == first
    assert "yes" in again.answer
    assert again.submitted_at == first.submitted_at


def test_a_submission_after_the_deadline_is_refused_noticed_or_not(hit_type: HITType) -> None:
    make_hit(hit_type)
    late = make_accepted(hit_type)

    with after(minutes=30, seconds=1):
        with pytest.raises(TimeRanOut):
            submit_assignment(assignment_id=late.assignment_id, fields=FIELDS)
        make_accepted(hit_type)
        with pytest.raises(TimeRanOut):
            submit_assignment(assignment_id=late.assignment_id, fields=FIELDS)


def test_a_returned_or_unknown_assignment_takes_no_submission(hit_type: HITType) -> None:
    make_hit(hit_type)
    accepted = make_accepted(hit_type)
    return_assignment(assignment=accepted)

    with pytest.raises(AssignmentReturned):
        submit_assignment(assignment_id=accepted.assignment_id, fields=FIELDS)
    with pytest.raises(AssignmentNotFound):
        submit_assignment(assignment_id="3NOSUCHASSIGNMENT", fields=FIELDS)


def test_a_submission_in_someone_elses_name_is_refused(hit_type: HITType) -> None:
    make_hit(hit_type)
    accepted = make_accepted(hit_type)

    with pytest.raises(AssignmentNotFound):
        submit_assignment(
            assignment_id=accepted.assignment_id,
            fields=FIELDS,
            worker_id=make_worker().worker_id,
        )


def test_answers_keep_every_character_that_xml_can_carry(hit_type: HITType) -> None:
    make_hit(hit_type)
    accepted = make_accepted(hit_type)
    text = "a < b & c\n\u2028\u202ehebrew \U0001f600"

    done = submit_assignment(
        assignment_id=accepted.assignment_id,
        fields=[("text", text), ("tick", "1"), ("tick", "3"), ("bad\x00", "\x0b\ud800")],
    )

    from xml.etree import ElementTree

    answers = [[part.text for part in answer] for answer in ElementTree.fromstring(done.answer)]
    assert answers == [["text", text], ["tick", "1|3"], ["bad\ufffd", "\ufffd\ufffd"]]


def test_the_database_allows_one_live_assignment_per_worker_and_hit(hit_type: HITType) -> None:
    make_hit(hit_type, max_assignments=2)
    held = make_accepted(hit_type)

    with pytest.raises(IntegrityError, match="assignment_one_live_per_worker_and_hit"):
        Assignment.objects.create(
            hit=held.hit, worker=held.worker, accepted_at=held.accepted_at, deadline=held.deadline
        )


def test_the_database_counts_every_assignment_of_a_hit_once(hit_type: HITType) -> None:
    hit = make_hit(hit_type)
    hit.pending += 1

    with pytest.raises(IntegrityError, match="hit_counts_every_assignment_once"):
        hit.save()
