"""What time alone does: HITs expire, accepted ones lapse, submissions are approved."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from marketplace import limits
from marketplace.models import HIT, Assignment, Notification, RequestToken
from marketplace.services.assignments import abandon_lapsed
from marketplace.services.hit_changes import changing, lock_group
from marketplace.services.reviews import approve_assignment

BATCH = 100
BATCHES = 20


def keep_time(*, at: datetime) -> int:
    """Do what is due, in short transactions, a bounded number of them; how much was done."""
    done = 0
    for _batch in range(BATCHES):
        step = expire_due(at=at) + abandon_due(at=at) + approve_due(at=at)
        done += step
        if not step:
            break
    forget_tokens(at=at)
    forget_notifications(at=at)
    return done


def expire_due(*, at: datetime) -> int:
    due = HIT.objects.filter(is_expired=False, expires_at__lte=at).order_by("expires_at")
    done = 0
    for group in _groups(due.values_list("hit_type_id", flat=True)[:BATCH]):
        with transaction.atomic():
            hit_type = lock_group(group)
            for hit in due.filter(hit_type=hit_type)[:BATCH]:
                with changing(hit, hit_type, at):
                    done += 1
    return done


def abandon_due(*, at: datetime) -> int:
    due = Assignment.objects.lapsed(at).order_by("deadline")
    done = 0
    for group in _groups(due.values_list("hit__hit_type__id", flat=True)[:BATCH]):
        with transaction.atomic():
            done += abandon_lapsed(hit_type=lock_group(group), at=at)
    return done


def approve_due(*, at: datetime) -> int:
    due = Assignment.objects.filter(
        status=Assignment.Status.SUBMITTED, auto_approval_at__lte=at
    ).select_related("hit")
    done = 0
    for assignment in due.order_by("auto_approval_at")[:BATCH]:
        with transaction.atomic():
            lock_group(assignment.hit.hit_type_id)
            # Someone may have decided since it was read.
            if due.filter(pk=assignment.pk).exists():
                approve_assignment(assignment=assignment, at=at)
                done += 1
    return done


def forget_tokens(*, at: datetime) -> None:
    lapsed = RequestToken.objects.filter(
        created_at__lte=at - limits.REQUEST_TOKENS_LAPSE_AFTER
    ).values("pk")
    RequestToken.objects.filter(pk__in=lapsed[: BATCH * BATCHES]).delete()


def forget_notifications(*, at: datetime) -> None:
    """Those that were delivered; one that was not stays to be looked at."""
    told = Notification.objects.filter(delivered_at__lte=at - limits.NOTIFICATIONS_KEPT)
    oldest = told.order_by("delivered_at").values("pk")
    Notification.objects.filter(pk__in=oldest[: BATCH * BATCHES]).delete()


def _groups(keys: Iterable[int]) -> list[int]:
    return sorted(set(keys))
