"""Which task a worker gets, and what ends a reservation."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studies.admin.response_page import time_spent
from studies.figures.work import work_of
from studies.models import (
    Assignment,
    AssignmentState,
    Hold,
    Participant,
    Response,
    ResponseState,
    Round,
    Task,
    Worker,
)
from studies.services import holds, occupancy, reservation, submission
from studies.services.participant_figures import with_work
from studies.services.round_figures import figures_of, median_time_of
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


def open_slot(round: Round, participant: Participant) -> Assignment:
    frame = make.make_frame(make.free_slot(round))
    return reservation.reserve_task(round=round, participant=participant, frame=frame)


def test_opening_the_same_frame_again_gives_the_same_assignment() -> None:
    round = make.make_round()
    participant = make.make_participant(round)
    frame = make.make_frame(make.free_slot(round))

    first = reservation.reserve_task(round=round, participant=participant, frame=frame)
    second = reservation.reserve_task(round=round, participant=participant, frame=frame)

    assert first.pk == second.pk
    assert sum(make.tasks_taken(round)) == 1


def test_the_least_served_task_comes_first_and_ties_follow_the_seed() -> None:
    round = make.make_round(stories=4, overlap=2)
    order = list(round.tasks.order_by("tie_break").values_list("pk", flat=True))

    got = [open_slot(round, make.make_participant(round)).task_id for _ in range(4)]

    assert got == order


def test_a_worker_never_gets_a_task_twice() -> None:
    round = make.make_round(stories=3, overlap=2)
    participant = make.make_participant(round)

    tasks = {open_slot(round, participant).task_id for _ in range(3)}

    assert len(tasks) == 3
    with pytest.raises(reservation.NothingLeft):
        open_slot(round, participant)
    assert sum(make.tasks_taken(round)) == 3


def test_the_database_refuses_a_second_assignment_of_a_task_to_a_worker() -> None:
    round = make.make_round()
    assignment = open_slot(round, make.make_participant(round))

    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            task=assignment.task,
            participant=assignment.participant,
            marketplace_id="another",
            accepted_at=timezone.now(),
        )


def test_the_database_refuses_an_oversold_task() -> None:
    round = make.make_round(stories=1, overlap=1)

    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.filter(round=round).update(taken=2)


def test_a_returned_task_is_free_at_once_and_its_draft_comes_back_to_its_worker() -> None:
    round = make.make_round(stories=2, overlap=1)
    participant = make.make_participant(round)
    before = open_slot(round, participant)
    submission.save_draft(assignment_id=before.pk, fields={"assertion": "Mira is"}, revision=1)

    assert occupancy.end_reservation(assignment=before, state=AssignmentState.RETURNED)
    assert sum(make.tasks_taken(round)) == 0
    again = open_slot(round, participant)

    assert again.pk == before.pk
    assert again.draft["fields"] == {"assertion": "Mira is"}
    assert again.state == AssignmentState.ACCEPTED
    assert sum(make.tasks_taken(round)) == 1


def test_the_time_of_a_task_taken_up_again_counts_the_work_on_it_before() -> None:
    round = make.make_round(stories=1, overlap=1)
    participant = make.make_participant(round)
    task = open_slot(round, participant)
    for attempt in (1, 2):
        submission.save_draft(assignment_id=task.pk, fields={"assertion": "Mira"}, revision=attempt)
        task.refresh_from_db()
        assert task.draft_saved_at
        # Accepted ten minutes before the last save, and returned an hour after it.
        accepted = task.draft_saved_at - timedelta(minutes=10)
        Assignment.objects.filter(pk=task.pk).update(accepted_at=accepted)
        occupancy.end_reservation(assignment=task, state=AssignmentState.RETURNED)
        task = open_slot(round, participant)
    # Nothing is written this time.
    occupancy.end_reservation(assignment=task, state=AssignmentState.RETURNED)
    task = open_slot(round, participant)

    task.refresh_from_db()
    assert task.worked_before == timedelta(minutes=20)
    submitted = task.accepted_at + timedelta(minutes=1)
    response = Response.objects.create(
        assignment=task,
        task_type=round.task_type,
        schema_version=1,
        answers={},
        state=ResponseState.CONFIRMED,
        submitted_at=submitted,
        confirmed_at=submitted,
    )
    assert median_time_of(round.study, round.task_type) == timedelta(minutes=21)
    assert figures_of(round).median_time == timedelta(minutes=21)
    assert [figure.rows[0]["median"] for figure in work_of(round.study).figures[1:]] == [1.0]
    assert time_spent(response) == timedelta(minutes=21)
    worker: Any = with_work(Participant.objects.all()).get()
    assert worker.median_time == timedelta(minutes=21)


def test_a_kept_draft_waits_while_somebody_else_has_the_task() -> None:
    round = make.make_round(stories=2, overlap=1)
    first, second = make.make_participant(round), make.make_participant(round)
    kept = open_slot(round, first)
    submission.save_draft(assignment_id=kept.pk, fields={"assertion": "kept"}, revision=1)
    occupancy.end_reservation(assignment=kept, state=AssignmentState.RETURNED)
    taken_by_other = open_slot(round, second)
    assert taken_by_other.task_id == kept.task_id

    other_task = open_slot(round, first)

    assert other_task.task_id != kept.task_id
    kept.refresh_from_db()
    assert kept.draft["fields"] == {"assertion": "kept"}


def test_a_lapsed_reservation_is_reclaimed_by_the_next_worker_without_a_job() -> None:
    round = make.make_round(stories=1, overlap=1)
    slow = open_slot(round, make.make_participant(round))
    Assignment.objects.filter(pk=slow.pk).update(deadline=timezone.now() - timedelta(seconds=1))

    quick = reservation.reserve_task(
        round=round,
        participant=make.make_participant(round),
        frame=make.make_frame(round.slots.get()),
    )

    slow.refresh_from_db()
    assert slow.state == AssignmentState.ABANDONED
    assert quick.task_id == slow.task_id
    assert make.tasks_taken(round) == [1]


def test_another_worker_who_opens_the_slot_takes_it_over() -> None:
    round = make.make_round(stories=2, overlap=1)
    slot = make.free_slot(round)
    now = timezone.now()
    one = reservation.reserve_task(
        round=round,
        participant=make.make_participant(round),
        frame=make.make_frame(slot, deadline=now + timedelta(minutes=20)),
    )

    two = reservation.reserve_task(
        round=round,
        participant=make.make_participant(round),
        frame=make.make_frame(slot, deadline=now + timedelta(minutes=25)),
    )

    one.refresh_from_db()
    assert one.state == AssignmentState.RETURNED
    assert two.state == AssignmentState.ACCEPTED
    assert sum(make.tasks_taken(round)) == 1


def test_a_worker_who_accepts_anew_before_we_hear_of_the_return_goes_on_with_the_task() -> None:
    round = make.make_round()
    participant = make.make_participant(round)
    slot = make.free_slot(round)
    first = make.make_frame(slot)
    held = reservation.reserve_task(round=round, participant=participant, frame=first)
    anew = make.make_frame(slot, deadline=first.deadline + timedelta(minutes=1))

    again = reservation.reserve_task(round=round, participant=participant, frame=anew)

    assert (again.pk, again.marketplace_id) == (held.pk, anew.assignment_id)
    assert again.state == AssignmentState.ACCEPTED
    assert sum(make.tasks_taken(round)) == 1


def test_an_old_link_replayed_pushes_nobody_out() -> None:
    round = make.make_round(stories=2, overlap=1)
    slot = make.free_slot(round)
    now = timezone.now()
    old = make.make_frame(slot, deadline=now + timedelta(minutes=10))
    current = reservation.reserve_task(
        round=round,
        participant=make.make_participant(round),
        frame=make.make_frame(slot, deadline=now + timedelta(minutes=20)),
    )

    with pytest.raises(reservation.StaleFrame):
        reservation.reserve_task(round=round, participant=make.make_participant(round), frame=old)

    current.refresh_from_db()
    assert current.state == AssignmentState.ACCEPTED


def test_the_link_of_a_returned_assignment_reserves_nothing() -> None:
    round = make.make_round()
    participant = make.make_participant(round)
    frame = make.make_frame(make.free_slot(round))
    assignment = reservation.reserve_task(round=round, participant=participant, frame=frame)
    occupancy.end_reservation(assignment=assignment, state=AssignmentState.RETURNED)

    with pytest.raises(reservation.StaleFrame):
        reservation.reserve_task(round=round, participant=participant, frame=frame)

    assert sum(make.tasks_taken(round)) == 0


def test_an_assignment_id_that_comes_back_with_a_later_deadline_is_a_new_acceptance() -> None:
    round = make.make_round()
    participant = make.make_participant(round)
    frame = make.make_frame(make.free_slot(round))
    first = reservation.reserve_task(round=round, participant=participant, frame=frame)
    occupancy.end_reservation(assignment=first, state=AssignmentState.RETURNED)
    assert first.slot is not None
    later = make.make_frame(first.slot, deadline=frame.deadline + timedelta(minutes=1))
    renewed = dataclasses.replace(later, assignment_id=frame.assignment_id)

    again = reservation.reserve_task(round=round, participant=participant, frame=renewed)

    assert again.state == AssignmentState.ACCEPTED
    assert again.marketplace_id == frame.assignment_id


def test_a_hit_of_another_round_is_refused() -> None:
    round, other = make.make_round(), make.make_round()

    with pytest.raises(reservation.UnknownSlot):
        reservation.reserve_task(
            round=round,
            participant=make.make_participant(round),
            frame=make.make_frame(make.free_slot(other)),
        )


def test_ending_a_reservation_twice_frees_one_place() -> None:
    round = make.make_round()
    one = open_slot(round, make.make_participant(round))
    open_slot(round, make.make_participant(round))

    assert occupancy.end_reservation(assignment=one, state=AssignmentState.RETURNED)
    assert not occupancy.end_reservation(assignment=one, state=AssignmentState.ABANDONED)

    assert sum(make.tasks_taken(round)) == 1


def test_an_unsent_response_is_sent_with_the_next_acceptance() -> None:
    round = make.make_round(stories=1, overlap=1)
    participant = make.make_participant(round)
    assignment = open_slot(round, participant)
    response, _ = submission.submit_response(
        assignment=assignment,
        answers={"assertion": "x", "justification": [1], "changed_assertion": "y", "revision": []},
        cautions=[],
    )
    assignment.refresh_from_db()
    occupancy.never_arrived(assignment=assignment)
    assert make.tasks_taken(round) == [0]

    again = open_slot(round, participant)

    response.refresh_from_db()
    assert again.pk == assignment.pk
    assert again.state == AssignmentState.SUBMITTED
    assert response.state == ResponseState.SUBMITTED
    assert Response.objects.count() == 1
    assert make.tasks_taken(round) == [1]


def test_a_hold_is_lifted_when_a_task_is_free_again() -> None:
    round = make.make_round(stories=1, overlap=1)
    busy = open_slot(round, make.make_participant(round))
    waiting = make.make_participant(round)
    holds.hold_back(round=round, participant=waiting)
    assert holds.lift_holds(round=round) == 0

    occupancy.end_reservation(assignment=busy, state=AssignmentState.RETURNED)

    assert holds.lift_holds(round=round) == 1
    hold = Hold.objects.get()
    assert (hold.wanted, hold.applied) == (False, False)


def test_who_comes_first_is_found_without_pairing_everybody_while_tables_pass_for_empty() -> None:
    round = make.make_round()
    with connection.cursor() as cursor:
        cursor.execute("DISCARD PLANS")
    for _ in range(7):  # A plan for any argument is made after a few.
        reservation.register_participant(round=round, worker_id="FIRST")
    workers = Worker.objects.bulk_create(Worker(marketplace_id=f"W{n}") for n in range(300))
    Participant.objects.bulk_create(
        Participant(study=round.study, worker=worker, pseudonym=f"p{worker.pk}")
        for worker in workers
    )
    with CaptureQueriesContext(connection) as captured:
        reservation.register_participant(round=round, worker_id="W250")
    [asked] = captured.captured_queries

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {asked['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "studies_participant" in plan
    assert "Rows Removed by Join Filter" not in plan
