"""What workers do with a HIT: accept, return, submit; and what time does when they do nothing."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from database.prepared import prepared
from database.rows import insert, together, update
from marketplace import limits
from marketplace.answers import answer_xml
from marketplace.eligibility import blocked
from marketplace.errors import (
    AlreadyHolding,
    AlreadySubmitted,
    AssignmentNotFound,
    AssignmentReturned,
    HoldingTooMany,
    NothingLeft,
    NotQualified,
    TimeRanOut,
)
from marketplace.models import HIT, Assignment, HITType, Worker, WorkerBlock
from marketplace.models.notification import Event
from marketplace.services.groups import unmet_by
from marketplace.services.hit_changes import changing, lock_group_called, lock_group_of
from marketplace.services.outbox import tell

Status = Assignment.Status
LAPSED_AT_ONCE = 100


@transaction.atomic
def accept_hit(*, worker: Worker, group_id: str) -> Assignment:
    """Give `worker` a HIT of the group: one they never had if there is any, else a returned one.

    Raises HITType.DoesNotExist, NotQualified, AlreadyHolding (with the assignment), HoldingTooMany
    or NothingLeft.
    A worker accepts one HIT at a time (the worker's row is locked), so that nobody holds too many.
    Within a group HITs are picked one at a time (its row is locked), so slots are never oversold
    and nobody is turned away while a slot is free; all else is looked at before that.
    """
    now = timezone.now()
    (worker,) = _lock_worker(pk=worker.pk, group_id=group_id)
    if cast(Any, worker).is_blocked:
        raise NotQualified([blocked()])
    if unmet := unmet_by(worker, group_id=group_id):
        raise NotQualified(unmet)
    _check_holding(worker, group_id, now)
    hit_type = lock_group_called(group_id)
    hit = _pick(worker, hit_type, now)
    if hit is None and abandon_lapsed(hit_type=hit_type, at=now):
        hit = _pick(worker, hit_type, now)
    if hit is None:
        raise NothingLeft
    assignment = Assignment(
        hit=hit, worker=worker, accepted_at=now, deadline=now + hit_type.assignment_duration
    )
    with together():
        with changing(hit, hit_type, now):
            hit.available -= 1
            hit.pending += 1
        insert(assignment)
        tell(hit_type, Event.ASSIGNMENT_ACCEPTED, at=now, hit=hit, assignment=assignment)
    return assignment


def _check_holding(worker: Worker, group_id: str, at: datetime) -> None:
    held = _held(worker=worker.pk, at=at)
    for assignment in held:
        if assignment.hit.hit_type.group_id == group_id:
            raise AlreadyHolding(assignment)
    if len(held) >= limits.HELD_AT_ONCE:
        raise HoldingTooMany(limits.HELD_AT_ONCE)


def _pick(worker: Worker, hit_type: HITType, at: datetime) -> HIT | None:
    return _never_had.first(
        worker=worker.pk, hit_type=hit_type.pk, at=at
    ) or _given_up_before.first(worker=worker.pk, hit_type=hit_type.pk, at=at)


@prepared
def _lock_worker(*, pk: int, group_id: str) -> QuerySet[Worker]:
    """With `is_blocked`: whether the group's requester has blocked them."""
    blocks = WorkerBlock.objects.filter(worker=pk, requester__hit_types__group_id=group_id)
    facts = ("worker_id", "approved_before", "rejected_before", "country", "subdivision")
    workers = Worker.objects.select_for_update(no_key=True).only(*facts).filter(pk=pk)
    return workers.annotate(is_blocked=Exists(blocks))


@prepared
def _held(*, worker: int, at: datetime) -> QuerySet[Assignment]:
    mine = Assignment.objects.held(at).filter(worker=worker).select_related("hit__hit_type")
    return mine.only("assignment_id", "hit__hit_type__group_id")


@prepared
def _never_had(*, worker: int, hit_type: int, at: datetime) -> QuerySet[HIT]:
    had = Assignment.objects.filter(worker=worker, hit=OuterRef("pk"))
    return _open_hits(hit_type, at).filter(~Exists(had))[:1]


@prepared
def _given_up_before(*, worker: int, hit_type: int, at: datetime) -> QuerySet[HIT]:
    had = Assignment.objects.filter(worker=worker, hit=OuterRef("pk"))
    kept = had.exclude(status__in=Assignment.GIVEN_UP)
    return _open_hits(hit_type, at).filter(~Exists(kept))[:1]


def _open_hits(hit_type: int, at: datetime) -> QuerySet[HIT]:
    fixed = ("question", "created_at", "review_status", "requester_annotation")
    return HIT.objects.assignable(at).filter(hit_type=hit_type).defer(*fixed)


@transaction.atomic
def return_assignment(*, assignment: Assignment) -> Assignment:
    """Give an accepted HIT back; its slot is free at once. Returning twice changes nothing.

    Raises AlreadySubmitted, or TimeRanOut when the deadline has passed.
    """
    now = timezone.now()
    hit_type, assignment = _locked(assignment.assignment_id)
    if assignment.status == Status.RETURNED:
        return assignment
    if assignment.submitted_at is not None:
        raise AlreadySubmitted(assignment)
    if assignment.status == Status.ABANDONED or assignment.deadline <= now:
        raise TimeRanOut(assignment)
    _give_up(assignment, hit_type, Status.RETURNED, Event.ASSIGNMENT_RETURNED, now)
    return assignment


@transaction.atomic
def submit_assignment(
    *, assignment_id: str, fields: Iterable[tuple[str, str]], worker_id: str | None = None
) -> Assignment:
    """Take the answers of an accepted HIT; sending them again gives the same assignment.

    Raises AssignmentNotFound (also when `worker_id` is given and is someone else's),
    AssignmentReturned, or TimeRanOut when the deadline has passed, noticed before or not.
    """
    now = timezone.now()
    hit_type, assignment = _locked(assignment_id)
    if worker_id is not None and assignment.worker.worker_id != worker_id:
        raise AssignmentNotFound
    if assignment.submitted_at is not None:
        return assignment
    if assignment.status == Status.RETURNED:
        raise AssignmentReturned(assignment)
    if assignment.status == Status.ABANDONED or assignment.deadline <= now:
        raise TimeRanOut(assignment)
    assignment.status = Status.SUBMITTED
    assignment.submitted_at = now
    assignment.auto_approval_at = now + hit_type.auto_approval_delay
    assignment.answer = answer_xml(fields)
    with together():
        update(assignment, ("status", "submitted_at", "auto_approval_at", "answer"))
        with changing(assignment.hit, hit_type, now):
            assignment.hit.pending -= 1
            assignment.hit.submitted += 1
            # Before what becomes of the HIT through it.
            event = Event.ASSIGNMENT_SUBMITTED
            tell(hit_type, event, at=now, hit=assignment.hit, assignment=assignment)
    return assignment


def abandon_lapsed(*, hit_type: HITType, at: datetime) -> int:
    """Free the slots of some assignments whose time ran out; how many.

    `hit_type` is locked by the caller.
    """
    due = Assignment.objects.lapsed(at).filter(hit__hit_type=hit_type).order_by("deadline")
    found = list(due.values_list("pk", flat=True)[:LAPSED_AT_ONCE])
    if not found:
        return 0
    lapsed = Assignment.objects.filter(pk__in=found).select_related("worker", "hit")
    hits: dict[int, HIT] = {}
    for assignment in lapsed.order_by("deadline"):
        # Two lapsed assignments of one HIT must change the same copy of it.
        assignment.hit = hits.setdefault(assignment.hit_id, assignment.hit)
        _give_up(assignment, hit_type, Status.ABANDONED, Event.ASSIGNMENT_ABANDONED, at)
    return len(found)


def _give_up(
    assignment: Assignment, hit_type: HITType, status: str, event: str, at: datetime
) -> None:
    assignment.status = status
    assignment.given_up_at = at
    update(assignment, ("status", "given_up_at"))
    with changing(assignment.hit, hit_type, at):
        assignment.hit.pending -= 1
        assignment.hit.available += 1
        tell(hit_type, event, at=at, hit=assignment.hit, assignment=assignment)


def _locked(assignment_id: str) -> tuple[HITType, Assignment]:
    try:
        hit_type = lock_group_of(assignment_id)
    except HITType.DoesNotExist as error:
        raise AssignmentNotFound from error
    (assignment,) = _by_id(assignment_id=assignment_id)
    assignment.hit.hit_type = hit_type
    return hit_type, assignment


@prepared
def _by_id(*, assignment_id: str) -> QuerySet[Assignment]:
    wanted = Assignment.objects.select_related("hit", "worker").defer("hit__question")
    return wanted.filter(assignment_id=assignment_id)
