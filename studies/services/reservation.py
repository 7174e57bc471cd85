"""Which task a worker gets, and when a reservation ends.

A round's HITs are slots, not tasks: the worker accepts a slot in the marketplace, and the task is
chosen when the task page is first opened. Whatever changes how much of a task is taken locks the
round's row first, so reservations of one round happen one at a time and can neither oversell nor
deadlock.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from database.prepared import prepared
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
    Task,
    Worker,
)
from studies.models.assignment import LIVE

ENDED = (AssignmentState.RETURNED, AssignmentState.ABANDONED)
# What another acceptance changes of an assignment.
ACCEPTANCE = ("slot", "marketplace_id", "accepted_at", "deadline", "ended_at", "state")


class NothingLeft(Exception):
    """No task of the round suits this worker at present."""


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
    return Participant.objects.select_related("worker").filter(
        study=study, worker__marketplace_id=worker_id
    )


@transaction.atomic
def reserve_task(*, round: Round, participant: Participant, frame: Frame) -> Assignment:
    """The assignment behind this frame, reserving a task the first time.

    Identity is (assignment id, worker): opening again, in two tabs or on another device, gives the
    same assignment. A worker who returned a task of this round, or let it lapse, goes on with it
    (draft and all) while it has room; else the least-served task they have not had is theirs.

    Raises UnknownSlot, StaleFrame, NothingLeft.
    """
    lock_round(round)
    mine = _behind_frame(
        participant=participant.pk, marketplace_id=frame.assignment_id, round=round.pk
    )
    live = next((assignment for assignment in mine if assignment.state in LIVE), None)
    if live is not None:
        return _known(live, round, participant)
    slot = _slot.first(round=round.pk, hit_id=frame.hit_id)
    if slot is None:
        raise UnknownSlot(frame.hit_id)
    now = timezone.now()
    if frame.deadline <= now or any(_outlasts(one, frame) for one in mine):
        raise StaleFrame
    _end_lapsed(round, now)
    _take_over(slot, frame)
    assignment = _to_work_on(round, participant)
    if assignment is None:
        raise NothingLeft
    return _give(_known(assignment, round, participant), slot, frame, now)


@prepared
def _behind_frame(*, participant: int, marketplace_id: str, round: int) -> QuerySet[Assignment]:
    return Assignment.objects.select_related("task").filter(
        participant=participant, marketplace_id=marketplace_id, task__round=round
    )


@prepared
def _slot(*, round: int, hit_id: str) -> QuerySet[Slot]:
    return Slot.objects.filter(round=round, hit_id=hit_id)


def lock_round(round: Round) -> None:
    """Make what changes `Task.taken` in this round happen one at a time, until the commit."""
    if not _lock_round(pk=round.pk):
        raise Round.DoesNotExist


@prepared
def _lock_round(*, pk: int) -> QuerySet[Round]:
    return Round.objects.select_for_update(no_key=True).only("pk").filter(pk=pk)


def next_task(round: Round, participant: Participant) -> Task | None:
    """The task this worker would get now.

    It has room and is neither held nor done by this worker; least served first, ties broken by the
    round's seed.
    """
    return _next_task.first(round=round.pk, participant=participant.pk)


@prepared
def _next_task(*, round: int, participant: int) -> QuerySet[Task]:
    had = Assignment.objects.filter(task=OuterRef("pk"), participant=participant, state__in=LIVE)
    free = Task.objects.with_room().filter(~Exists(had), round=round)
    return free.order_by("taken", "tie_break", "pk")[:1]


def end_reservation(*, assignment: Assignment, state: AssignmentState) -> bool:
    """Give the place back: the worker returned the task or let it lapse. The draft is kept.

    Only an assignment that is still being worked on ends; False when it was not (any more).
    """
    with transaction.atomic():
        lock_round(assignment.task.round)
        return _end(assignment, state)


def _end_lapsed(round: Round, now: datetime) -> None:
    for assignment in _lapsed(round=round.pk, now=now):
        _end(assignment, AssignmentState.ABANDONED)


@prepared
def _lapsed(*, round: int, now: datetime) -> QuerySet[Assignment]:
    lapsed = Assignment.objects.filter(
        task__round=round, state=AssignmentState.ACCEPTED, deadline__lte=now
    )
    return lapsed.order_by("deadline", "pk")[:50]


def _take_over(slot: Slot, frame: Frame) -> None:
    """End what held the slot before: the marketplace has given it to this frame's worker since.

    A later acceptance has the later deadline, so an old link replayed cannot push anybody out.
    The holder's row is locked, since a submit locks nothing else: one of the two comes first.
    """
    for holder in _lock_holders(slot=slot.pk):
        if _outlasts(holder, frame):
            raise StaleFrame
        if holder.state in {AssignmentState.APPROVED, AssignmentState.REJECTED}:
            raise StaleFrame
        if holder.state == AssignmentState.ACCEPTED:
            _end(holder, AssignmentState.RETURNED)
        elif not never_arrived(assignment=holder):
            raise StaleFrame


@prepared
def _lock_holders(*, slot: int) -> QuerySet[Assignment]:
    holders = Assignment.objects.filter(slot=slot, state__in=LIVE)
    return holders.select_for_update(no_key=True)


def _outlasts(assignment: Assignment, frame: Frame) -> bool:
    return assignment.deadline is not None and assignment.deadline >= frame.deadline


def never_arrived(*, assignment: Assignment) -> bool:
    """The marketplace did not receive this submitted assignment: its place is open again.

    The response is kept as unconfirmed and can be sent with a later acceptance. The caller holds
    the round's lock. False when it is confirmed or settled already.
    """
    waiting = Response.objects.filter(
        assignment__in=_same_acceptance(assignment), state=ResponseState.SUBMITTED
    )
    if not waiting.update(state=ResponseState.UNCONFIRMED):
        return False
    Assignment.objects.filter(pk=assignment.pk).update(
        state=AssignmentState.ABANDONED, ended_at=timezone.now()
    )
    Task.objects.filter(pk=assignment.task_id).update(taken=F("taken") - 1)
    return True


def _end(assignment: Assignment, state: AssignmentState) -> bool:
    ended = (
        _same_acceptance(assignment)
        .filter(state=AssignmentState.ACCEPTED)
        .update(state=state, ended_at=timezone.now())
    )
    if ended:
        Task.objects.filter(pk=assignment.task_id).update(taken=F("taken") - 1)
    return bool(ended)


def _same_acceptance(assignment: Assignment) -> QuerySet[Assignment]:
    """Its row, unless the worker has taken the task up again under another id since it was read."""
    return Assignment.objects.filter(pk=assignment.pk, marketplace_id=assignment.marketplace_id)


def _known(assignment: Assignment, round: Round, participant: Participant) -> Assignment:
    """Spare whoever shows it the queries for what is at hand."""
    assignment.task.round = round
    assignment.participant = participant
    return assignment


def _to_work_on(round: Round, participant: Participant) -> Assignment | None:
    """What they began and can go on with, else the task that is next for them."""
    before = dict(_given_up(round=round.pk, participant=participant.pk))
    kept = _kept(round, participant) if before else None
    if kept is not None:
        return kept
    task = next_task(round, participant)
    if task is None:
        return None
    if task.pk in before:
        return Assignment.objects.select_related("task").get(pk=before[task.pk])
    return Assignment(task=task, participant=participant)


@prepared
def _given_up(*, round: int, participant: int) -> QuerySet[Assignment, tuple[int, int]]:
    ended = Assignment.objects.filter(participant=participant, task__round=round, state__in=ENDED)
    return ended.values_list("task", "pk")


def _kept(round: Round, participant: Participant) -> Assignment | None:
    """What the worker began here and can go on with: the last one, while its task has room."""
    return (
        Assignment.objects.filter(
            Q(draft_saved_at__isnull=False) | Q(response__isnull=False),
            participant=participant,
            task__round=round,
            task__taken__lt=F("task__overlap"),
            state__in=ENDED,
        )
        .select_related("task")
        .order_by("-ended_at", "-pk")
        .first()
    )


def _give(assignment: Assignment, slot: Slot, frame: Frame, now: datetime) -> Assignment:
    Task.objects.filter(pk=assignment.task_id).update(taken=F("taken") + 1)
    assignment.slot = slot
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
        assignment.accepted_at = now
    # A draft may be saved at this moment: only what changes here is written.
    assignment.save(update_fields=ACCEPTANCE if assignment.pk else None)
    Hold.objects.filter(
        round=assignment.task.round, participant=assignment.participant, wanted=True
    ).update(wanted=False, applied=False, changed_at=now)
    return assignment
