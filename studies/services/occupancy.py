"""How much of a task is taken: the lock under which that changes, and what frees a place again."""

from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from database.prepared import prepared
from studies.models import (
    Assignment,
    AssignmentState,
    Participant,
    Response,
    ResponseState,
    Round,
    Task,
)


def lock_round(round: Round) -> None:
    """Make what changes `Task.taken` in this round happen one at a time, until the commit."""
    if not _lock_round(pk=round.pk):
        raise Round.DoesNotExist


@prepared
def _lock_round(*, pk: int) -> QuerySet[Round]:
    return _locking().filter(pk=pk)


def lock_round_for(participant: Participant, round: Round) -> None:
    """`lock_round`, and the participant before it: what counts a worker's tasks in all rounds of
    a study happens one at a time for each worker. All who take both take them in this order."""
    if not _lock_round_for(participant=participant.pk, pk=round.pk):
        raise Round.DoesNotExist


@prepared
def _lock_round_for(*, participant: int, pk: int) -> QuerySet[Round]:
    one = Participant.objects.select_for_update(no_key=True).filter(pk=participant)
    return _locking().filter(pk=pk, study__in=one.values("study"))


def _locking() -> QuerySet[Round]:
    return Round.objects.select_for_update(no_key=True, of=("self",)).only("pk")


def end_reservation(*, assignment: Assignment, state: AssignmentState) -> bool:
    """Give the place back: the worker returned the task or let it lapse. The draft is kept.

    Only an assignment that is still being worked on ends; False when it was not (any more).
    """
    with transaction.atomic():
        lock_round(assignment.task.round)
        return end_assignment(assignment, state)


def end_lapsed(round: Round, now: datetime) -> None:
    for assignment in lapsed_in(round.pk, now).order_by("deadline", "pk")[:50]:
        end_assignment(assignment, AssignmentState.ABANDONED)


def lapsed_in(round: int, now: datetime) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        task__round=round, state=AssignmentState.ACCEPTED, deadline__lte=now
    )


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


def end_assignment(assignment: Assignment, state: AssignmentState) -> bool:
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
