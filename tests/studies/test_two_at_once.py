"""Two things at the same moment: neither undoes the other, and no change is forgotten."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils import timezone

from studies import jobs, mturk
from studies.jobs import create_job
from studies.models import (
    Assignment,
    AssignmentState,
    Hold,
    Job,
    JobState,
    Participant,
    Payment,
    PaymentKind,
    Response,
    ResponseState,
    Round,
    RoundState,
    Study,
)
from studies.services import (
    holds,
    occupancy,
    payments,
    qualification,
    reservation,
    rounds,
    settlement,
    studies,
    submission,
)
from tests.studies import factories as make

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)
HANDED_OVER = timedelta(hours=2)


def beside(action: Callable[[], object]) -> threading.Thread:
    """Run it on a connection of its own."""

    def run() -> None:
        try:
            action()
        finally:
            connection.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def accept(round: Round, participant: Participant, **frame: object) -> Assignment:
    slot = make.free_slot(round)
    return reservation.reserve_task(
        round=round,
        participant=participant,
        frame=make.make_frame(slot, **frame),  # type: ignore[arg-type]
    )


def submit(assignment: Assignment) -> Response:
    answers = {"assertion": "a", "justification": [1], "changed_assertion": "b", "revision": []}
    return submission.submit_response(assignment=assignment, answers=answers, cautions=[])[0]


def accept_again(assignment: Assignment) -> Assignment:
    """The worker takes the round's next slot while somebody still looks at the first acceptance."""
    assert assignment.participant is not None
    later = timezone.now() + HANDED_OVER
    return accept(assignment.task.round, assignment.participant, deadline=later)


# --- a round is changed while its job is claimed ------------------------------------------------


@at_once
def test_of_two_studies_of_one_short_name_the_second_is_refused_in_words() -> None:
    other = make.make_study(slug="mornings")
    refused: list[str] = []

    def create() -> None:
        with pytest.raises(studies.StudyRefused, match="There is a study “evenings” already") as no:
            studies.create_study(slug="evenings")
        refused.append(str(no.value))

    def rename() -> None:
        with pytest.raises(ValidationError, match="There is a study “evenings” already") as no:
            studies.change_study(study=other, changes={"slug": "evenings"})
        refused.extend(no.value.message_dict)

    with transaction.atomic():
        studies.create_study(slug="evenings")
        slower = [beside(create), beside(rename)]
        slower[0].join(0.5)
    for thread in slower:
        thread.join(10)

    assert sorted(refused) == ["There is a study “evenings” already.", "slug"]
    assert Study.objects.filter(slug="evenings").count() == 1


@at_once
def test_a_job_that_is_claimed_while_a_round_is_paused_sees_the_pause() -> None:
    round = make.make_round()
    waiting = create_job(kind="publish_round", study=round.study, payload={"round": round.pk})
    seen: list[str] = []

    def claim() -> None:
        assert jobs.claim(waiting.pk) is not None
        seen.append(Round.objects.get(pk=round.pk).state)

    with transaction.atomic():
        used = rounds.pause_round(round=round)
        worker = beside(claim)
        worker.join(0.5)
    worker.join(10)

    assert used.pk == waiting.pk
    assert seen == [RoundState.PAUSED]


# --- a reservation ends while the worker takes it up again --------------------------------------


@at_once
def test_a_draft_saved_while_a_task_is_taken_up_again_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round = make.make_round(stories=1, overlap=2)
    participant = make.make_participant(round)
    first = accept(round, participant)
    submission.save_draft(assignment_id=first.pk, fields={"assertion": "old"}, revision=1)
    occupancy.end_reservation(assignment=first, state=AssignmentState.RETURNED)
    give = reservation._give

    def give_late(*arguments: object) -> Assignment:
        newer = {"assertion": "new"}
        beside(
            lambda: submission.save_draft(assignment_id=first.pk, fields=newer, revision=2)
        ).join(10)
        return give(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reservation, "_give", give_late)

    again = accept(round, participant)

    assert again.pk == first.pk
    first.refresh_from_db()
    assert first.draft["fields"] == {"assertion": "new"}
    assert first.state == AssignmentState.ACCEPTED


@at_once
def test_a_slot_that_is_passed_on_while_its_holder_submits_has_one_of_the_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round = make.make_round(stories=2, overlap=1)
    first = accept(round, make.make_participant(round))
    assert first.slot is not None
    frame = make.make_frame(first.slot, deadline=timezone.now() + HANDED_OVER)
    end = occupancy.end_assignment
    refused: list[submission.TooLate] = []
    threads: list[threading.Thread] = []

    def submit_late() -> None:
        try:
            submit(first)
        except submission.TooLate as late:
            refused.append(late)

    def end_late(*arguments: object) -> bool:
        threads.append(beside(submit_late))
        threads[0].join(0.5)
        return end(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reservation, "end_assignment", end_late)

    reservation.reserve_task(round=round, participant=make.make_participant(round), frame=frame)

    threads[0].join(10)
    assert refused
    assert not Response.objects.exists()
    assert sum(make.tasks_taken(round)) == 1


def test_a_return_that_is_told_late_does_not_end_the_next_acceptance() -> None:
    round = make.make_round(stories=1, overlap=2)
    participant = make.make_participant(round)
    first = accept(round, participant)
    submission.save_draft(assignment_id=first.pk, fields={"assertion": "mine"}, revision=1)
    as_found = Assignment.objects.select_related("task__round").get(pk=first.pk)
    occupancy.end_reservation(assignment=first, state=AssignmentState.RETURNED)
    accept_again(first)

    assert not occupancy.end_reservation(assignment=as_found, state=AssignmentState.RETURNED)

    first.refresh_from_db()
    assert first.state == AssignmentState.ACCEPTED
    assert make.tasks_taken(round) == [1]


def test_an_answer_about_an_old_acceptance_does_not_settle_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round = make.make_round(stories=1, overlap=2)
    first = accept(round, make.make_participant(round))
    submit(first)
    Assignment.objects.update(deadline=timezone.now() - timedelta(minutes=5))

    def answer_late(assignment_id: str) -> None:
        """While the marketplace is asked, the worker sends the response with a new acceptance."""
        occupancy.never_arrived(assignment=Assignment.objects.get(pk=first.pk))
        accept_again(first)

    monkeypatch.setattr(mturk, "submitted_assignment", answer_late)

    assert not settlement.confirm_response(first.pk)

    first.refresh_from_db()
    assert first.state == AssignmentState.SUBMITTED
    assert Response.objects.get().state == ResponseState.SUBMITTED
    assert make.tasks_taken(round) == [1]


def test_a_slot_whose_holder_is_confirmed_is_not_given_to_another_worker() -> None:
    round = make.make_round(stories=2, overlap=1)
    first = accept(round, make.make_participant(round))
    submit(first)
    Response.objects.update(state=ResponseState.CONFIRMED, confirmed_at=timezone.now())
    assert first.slot is not None
    frame = make.make_frame(first.slot, deadline=timezone.now() + HANDED_OVER)

    with pytest.raises(reservation.StaleFrame):
        reservation.reserve_task(round=round, participant=make.make_participant(round), frame=frame)


def test_a_response_sent_with_a_later_acceptance_keeps_the_time_it_took() -> None:
    round = make.make_round(stories=1, overlap=2)
    first = accept(round, make.make_participant(round))
    began = timezone.now() - timedelta(minutes=4)
    Assignment.objects.update(accepted_at=began)
    submit(first)
    first.refresh_from_db()
    occupancy.never_arrived(assignment=first)

    again = accept_again(first)

    assert again.state == AssignmentState.SUBMITTED
    assert again.accepted_at == began


# --- a wish changes while the marketplace is told -----------------------------------------------


def test_a_hold_that_is_lifted_while_it_is_granted_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round = make.make_round()
    hold = holds.hold_back(round=round, participant=make.make_participant(round))
    told: list[str] = []

    def grant_late(*ids: str) -> None:
        """Meanwhile the hold is lifted, and another process has told the marketplace so."""
        Hold.objects.update(wanted=False, applied=True)
        told.append("grant")

    monkeypatch.setattr(mturk, "grant_qualification", grant_late)
    monkeypatch.setattr(mturk, "revoke_qualification", lambda *ids: told.append("revoke"))

    settlement.sync_hold(hold.pk)
    settlement.apply_holds()

    assert told == ["grant", "revoke"]


def test_a_qualification_that_is_withdrawn_while_it_is_granted_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round = make.make_round()
    participant = make.make_participant(round)
    round.study.__class__.objects.update(qualification_type_id="Q" * 30)
    qualification.grant_qualification(participants=[participant])
    told: list[str] = []

    def grant_late(*ids: str) -> None:
        Participant.objects.update(qualified_at=None, qualification_applied=True)
        told.append("grant")

    monkeypatch.setattr(mturk, "grant_qualification", grant_late)
    monkeypatch.setattr(mturk, "revoke_qualification", lambda *ids: told.append("revoke"))

    qualification.apply_qualifications()
    qualification.apply_qualifications()

    assert told == ["grant", "revoke"]


# --- two people decide at once ------------------------------------------------------------------


@at_once
def test_two_people_who_approve_the_same_response_make_one_payment() -> None:
    round = make.make_round()
    assignment = accept(round, make.make_participant(round))
    submit(assignment)
    Response.objects.update(state=ResponseState.CONFIRMED, confirmed_at=timezone.now())
    made: list[int] = []

    def approve() -> None:
        made.append(payments.decide_payment(assignments=[assignment], kind=PaymentKind.APPROVE))

    with transaction.atomic():
        approve()
        other = beside(approve)
        other.join(0.5)
    other.join(10)

    assert made == [1, 0]
    assert Payment.objects.count() == 1


@at_once
def test_a_job_that_is_put_back_while_somebody_stops_it_stops() -> None:
    job = create_job(kind="import_stories", study=make.make_study(), payload={})
    token = jobs.claim(job.pk)
    assert token is not None
    running = jobs.JobContext(Job.objects.get(pk=job.pk), token)

    with transaction.atomic():
        running.put_back(jobs.JobLater("The database did not answer."))
        stopping = beside(lambda: jobs.request_cancel(job))
        stopping.join(0.5)
    stopping.join(10)

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
