"""Every change to a HIT's counters goes through here, so that status, funds, counts agree."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db.models import QuerySet

from database.prepared import prepared
from database.rows import insert, together, update
from marketplace.models import HIT, HITType
from marketplace.models.notification import Event
from marketplace.services.funds import change_hold
from marketplace.services.outbox import tell

# All else of a HIT is fixed when it is published.
CHANGING = (
    "max_assignments",
    "expires_at",
    "status",
    "available",
    "pending",
    "submitted",
    "completed",
    "held_slots",
    "is_expired",
)
# Of a HIT type, what no change of its HITs and assignments looks at.
DESCRIBING = ("fingerprint", "title", "description", "keywords", "created_at")


def lock_group(hit_type_pk: int) -> HITType:
    """Take the lock under which the group's HITs and assignments change, one change at a time.

    Raises HITType.DoesNotExist.
    """
    return _the_one(_lock_by_pk(pk=hit_type_pk))


def lock_group_called(group_id: str) -> HITType:
    """`lock_group` by the id that workers see. Raises HITType.DoesNotExist."""
    return _the_one(_lock_by_group_id(group_id=group_id))


def lock_group_of(assignment_id: str) -> HITType:
    """`lock_group` of an assignment's group. Raises HITType.DoesNotExist."""
    return _the_one(_lock_by_assignment(assignment_id=assignment_id))


def _the_one(found: list[HITType]) -> HITType:
    if not found:
        raise HITType.DoesNotExist
    return found[0]


@prepared
def _lock_by_pk(*, pk: int) -> QuerySet[HITType]:
    return _locking().filter(pk=pk)


@prepared
def _lock_by_group_id(*, group_id: str) -> QuerySet[HITType]:
    return _locking().defer(*DESCRIBING).filter(group_id=group_id)


@prepared
def _lock_by_assignment(*, assignment_id: str) -> QuerySet[HITType]:
    return _locking().defer(*DESCRIBING).filter(hits__assignments__assignment_id=assignment_id)


def _locking() -> QuerySet[HITType]:
    # The setting comes along for `tell`; only the HIT type's row is locked.
    groups = HITType.objects.select_related("notification_setting").order_by()
    return groups.select_for_update(no_key=True, of=("self",))


@contextmanager
def changing(hit: HIT, hit_type: HITType, at: datetime) -> Iterator[None]:
    """Let the block change counters, expiry or size of `hit`; then settle all that follows.

    `hit` must have been read while `hit_type` was locked by the caller's transaction.
    """
    open_before = open_slots(hit)
    status_before = hit.status
    yield
    if hit.expires_at > at:
        hit.is_expired = False
    elif not hit.is_expired:
        hit.is_expired = True
        tell(hit_type, Event.HIT_EXPIRED, at=at, hit=hit)
    hit.status = status_of(hit)
    hold_slots(hit, hit_type)
    with together():
        if hit.pk:
            update(hit, CHANGING)
        else:
            insert(hit)
        if opened := open_slots(hit) - open_before:
            hit_type.available_count += opened
            update(hit_type, ("available_count",))
        if hit.status == HIT.Status.REVIEWABLE and status_before in (
            HIT.Status.ASSIGNABLE,
            HIT.Status.UNASSIGNABLE,
        ):
            tell(hit_type, Event.HIT_REVIEWABLE, at=at, hit=hit)


def open_slots(hit: HIT) -> int:
    return hit.available if hit.status == HIT.Status.ASSIGNABLE else 0


def status_of(hit: HIT) -> str:
    if hit.status == HIT.Status.DISPOSED:
        return HIT.Status.DISPOSED
    if hit.available and not hit.is_expired:
        return HIT.Status.ASSIGNABLE
    if hit.pending:
        return HIT.Status.UNASSIGNABLE
    if hit.status == HIT.Status.REVIEWING:
        return HIT.Status.REVIEWING
    return HIT.Status.REVIEWABLE


def hold_slots(hit: HIT, hit_type: HITType) -> None:
    """Hold funds for what may still be approved: not for what expired or was decided."""
    open_for_work = 0 if hit.is_expired or hit.status == HIT.Status.DISPOSED else hit.available
    wanted = open_for_work + hit.pending + hit.submitted
    change_hold(requester_pk=hit.requester_id, by_usd=(wanted - hit.held_slots) * hit_type.cost_usd)
    hit.held_slots = wanted
