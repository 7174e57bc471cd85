"""Which task a worker gets, and when a reservation ends.

A round's HITs are slots, not tasks: the worker accepts a slot in the marketplace, and the task is
chosen when the task page is first opened. Whatever changes how much of a task is taken locks the
round's row first, so reservations of one round happen one at a time and can neither oversell nor
deadlock. A reservation locks the participant before that, since some limits hold for all rounds of
a study (`admission`).
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from database.prepared import prepared
from database.rows import insert, together, update
from studies.frames import Frame
from studies.models import (
    Assignment,
    AssignmentState,
    Hold,
    Participant,
    Response,
    ResponseState,
    Round,
    Slot,
    Worker,
)
from studies.models.assignment import ENDED, LIVE
from studies.services.admission import Refusal, admitting, is_limited, why_not
from studies.services.choosing import next_task
from studies.services.occupancy import (
    end_assignment,
    end_lapsed,
    lapsed_in,
    lock_round_for,
    never_arrived,
)

# What another acceptance changes of an assignment.
ACCEPTANCE = (
    "slot",
    "marketplace_id",
    "accepted_at",
    "worked_before",
    "deadline",
    "ended_at",
    "state",
)


class NothingLeft(Exception):
    """No task of the round suits this worker at present; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


class UnknownSlot(Exception):
    """The HIT does not belong to this round."""


class StaleFrame(Exception):
    """The marketplace has given this assignment up: returned, lapsed, or passed on."""


def register_participant(*, round: Round, worker_id: str) -> Participant:
    """The worker in the round's study, under a pseudonym, made on first sight."""
    participant = _known_participant.first(study=round.study_id, worker_id=worker_id)
    if participant is None:
        worker, _ = Worker.objects.get_or_create(marketplace_id=worker_id)
        participant, _ = Participant.objects.get_or_create(study=round.study, worker=worker)
    participant.study = round.study
    return participant


@prepared
def _known_participant(*, study: int, worker_id: str) -> QuerySet[Participant]:
    # Found before the join: on a table that PostgreSQL takes for empty, it would join them all.
    worker = Worker.objects.filter(marketplace_id=worker_id).values("pk")
    return Participant.objects.select_related("worker").filter(study=study, worker=Subquery(worker))


@transaction.atomic
def reserve_task(*, round: Round, participant: Participant, frame: Frame) -> Assignment:
    """The assignment behind this frame, reserving a task the first time.

    Identity is (assignment id, worker): opening again, in two tabs or on another device, gives the
    same assignment. A worker who returned a task of this round, or let it lapse, goes on with it
    (draft and all) while it has room; else the least-served task they have not had is theirs.

    Raises UnknownSlot, StaleFrame, NothingLeft.
    """
    lock_round_for(participant, round)
    now = timezone.now()
    slot = _look_at_slot(round, participant, frame, now)
    mine = _behind_frame(participant, frame, round) if slot.was_opened_before else []
    live = next((assignment for assignment in mine if assignment.state in LIVE), None)
    if live is not None:
        return _known(live, round, participant)
    if frame.deadline <= now or any(_outlasts(one, frame) for one in mine):
        raise StaleFrame
    if slot.round_has_lapsed:
        end_lapsed(round, now)
    if slot.is_held:
        _take_over(slot, frame)
    # Who held the slot may be this very worker, whose return has not reached us.
    began = slot.is_held or slot.round_has_lapsed or slot.gave_up_before
    assignment = _to_work_on(round, participant, began=began, limited=slot.round_is_limited)
    if assignment is None:
        raise NothingLeft(why_not(round, participant))
    if slot.is_held_back:
        _stop_holding_back(round, participant, now)
    return _give(_known(assignment, round, participant), slot, frame, now)


def _behind_frame(participant: Participant, frame: Frame, round: Round) -> QuerySet[Assignment]:
    return Assignment.objects.select_related("task").filter(
        participant=participant, marketplace_id=frame.assignment_id, task__round=round
    )


class SlotNow(NamedTuple):
    """A slot, and what mostly is not the case: asked at once, so that it costs one query."""

    pk: int
    was_opened_before: bool
    is_held: bool
    round_has_lapsed: bool
    gave_up_before: bool
    is_held_back: bool
    round_is_limited: bool


def _look_at_slot(round: Round, participant: Participant, frame: Frame, now: datetime) -> SlotNow:
    """Raises UnknownSlot."""
    found = _slot_now.first(
        round=round.pk,
        hit_id=frame.hit_id,
        assignment_id=frame.assignment_id,
        participant=participant.pk,
        now=now,
    )
    if found is None:
        raise UnknownSlot(frame.hit_id)
    return SlotNow(*found)


@prepared
def _slot_now(
    *, round: int, hit_id: str, assignment_id: str, participant: int, now: datetime
) -> QuerySet[Slot, tuple[int, bool, bool, bool, bool, bool, bool]]:
    opened = Assignment.objects.filter(participant=participant, marketplace_id=assignment_id)
    holders = Assignment.objects.filter(slot=OuterRef("pk"), state__in=LIVE)
    holds = Hold.objects.filter(round=round, participant=participant, wanted=True)
    return (
        Slot.objects.exclude(hit_id="")
        .filter(round=round, hit_id=hit_id)
        .annotate(
            was_opened_before=Exists(opened),
            is_held=Exists(holders),
            round_has_lapsed=Exists(lapsed_in(round, now)),
            gave_up_before=Exists(_given_up(round, participant)),
            is_held_back=Exists(holds),
            round_is_limited=Exists(Round.objects.filter(is_limited(), pk=round)),
        )
        .values_list(*SlotNow._fields)
    )


def _take_over(slot: SlotNow, frame: Frame) -> None:
    """End what held the slot before: the marketplace has given it to this frame's worker since.

    A later acceptance has the later deadline, so an old link replayed cannot push anybody out.
    The holder's row is locked, since a submit locks nothing else: one of the two comes first.
    """
    holders = Assignment.objects.filter(slot=slot.pk, state__in=LIVE)
    for holder in holders.select_for_update(no_key=True):
        if _outlasts(holder, frame):
            raise StaleFrame
        if holder.state in {AssignmentState.APPROVED, AssignmentState.REJECTED}:
            raise StaleFrame
        if holder.state == AssignmentState.ACCEPTED:
            end_assignment(holder, AssignmentState.RETURNED)
        elif not never_arrived(assignment=holder):
            raise StaleFrame


def _outlasts(assignment: Assignment, frame: Frame) -> bool:
    return assignment.deadline is not None and assignment.deadline >= frame.deadline


def _known(assignment: Assignment, round: Round, participant: Participant) -> Assignment:
    """Spare whoever shows it the queries for what is at hand."""
    assignment.task.round = round
    assignment.participant = participant
    return assignment


def _to_work_on(
    round: Round, participant: Participant, *, began: bool, limited: bool
) -> Assignment | None:
    """What they began and can go on with, else the task that is next for them."""
    before: dict[int, int] = {}
    if began:
        before = dict(_given_up(round.pk, participant.pk).values_list("task", "pk"))
    kept = _kept(round, participant) if before else None
    if kept is not None:
        return kept
    task = next_task(round, participant, limited=limited)
    if task is None:
        return None
    if task.pk in before:
        return Assignment.objects.select_related("task").get(pk=before[task.pk])
    return Assignment(task=task, participant=participant)


def _given_up(round: int, participant: int) -> QuerySet[Assignment]:
    return Assignment.objects.filter(participant=participant, task__round=round, state__in=ENDED)


def _kept(round: Round, participant: Participant) -> Assignment | None:
    """What the worker began here and can go on with: the last one, while its task has room."""
    return (
        Assignment.objects.filter(
            Q(draft_saved_at__isnull=False) | Q(response__isnull=False),
            Exists(admitting(round.pk, participant.pk)),
            participant=participant,
            task__round=round,
            task__taken__lt=F("task__overlap"),
            state__in=ENDED,
        )
        .select_related("task")
        .order_by("-ended_at", "-pk")
        .first()
    )


def _give(assignment: Assignment, slot: SlotNow, frame: Frame, now: datetime) -> Assignment:
    # Read under the round's lock, as nobody else may count meanwhile.
    assignment.task.taken += 1
    assignment.slot_id = slot.pk
    assignment.marketplace_id = frame.assignment_id
    assignment.deadline = frame.deadline
    assignment.ended_at = None
    assignment.state = AssignmentState.ACCEPTED
    answered = assignment.pk and Response.objects.filter(assignment=assignment).update(
        state=ResponseState.SUBMITTED, confirmed_at=None
    )
    if answered:
        assignment.state = AssignmentState.SUBMITTED
    else:
        if assignment.draft_saved_at is not None:
            worked = assignment.draft_saved_at - assignment.accepted_at
            assignment.worked_before += max(worked, timedelta(0))
        assignment.accepted_at = now
    # A draft may be saved at this moment: only what changes here is written.
    with together():
        update(assignment.task, ("taken",))
        if assignment.pk:
            update(assignment, ACCEPTANCE)
        else:
            insert(assignment)
    return assignment


def _stop_holding_back(round: Round, participant: Participant, now: datetime) -> None:
    holds = Hold.objects.filter(round=round, participant=participant, wanted=True)
    holds.update(wanted=False, applied=False, changed_at=now)
