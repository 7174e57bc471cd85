"""Delivers notifications: in order, signed, again and again for a day.

A destination is taken with a lease, so that one process at a time posts to it; requests are made
outside any transaction. A batch that the other side refuses is sent again event by event, so that
one event that it cannot digest does not hold up the rest.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from marketplace import ids, limits
from marketplace.models import Notification, NotificationDestination
from marketplace.outgoing import NotDelivered, Unreachable, post_json

BATCH = 50
LEASE = timedelta(minutes=2)
FIRST_WAIT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(minutes=30)


def deliver_due() -> int:
    """Post what is due to every destination that nobody else is posting to."""
    delivered = 0
    while (destination := _take_destination(timezone.now())) is not None:
        delivered += _deliver_to(destination)
    return delivered


@transaction.atomic
def retry_now(*, destination: NotificationDestination, at: datetime) -> None:
    """Make what waits for this destination due, unless a delivery is under way."""
    if destination.failures and destination.next_attempt_at > at:
        NotificationDestination.objects.filter(pk=destination.pk).update(next_attempt_at=at)
    waiting = destination.notifications.filter(delivered_at=None, given_up_at=None)
    waiting.update(next_attempt_at=at)


@transaction.atomic
def _take_destination(at: datetime) -> NotificationDestination | None:
    waiting = Notification.objects.due(at).filter(destination=OuterRef("pk"))
    destination = (
        NotificationDestination.objects.filter(Exists(waiting), next_attempt_at__lte=at)
        .select_for_update(skip_locked=True, no_key=True, of=("self",))
        .select_related("requester")
        .order_by("next_attempt_at")
        .first()
    )
    if destination is not None:
        destination.next_attempt_at = at + LEASE
        destination.save(update_fields=["next_attempt_at"])
    return destination


def _deliver_to(destination: NotificationDestination) -> int:
    """Until nothing is due, the destination cannot be reached, or the lease nears its end."""
    delivered = 0
    stop_at = timezone.now() + LEASE / 2
    while timezone.now() < stop_at:
        batch = list(destination.notifications.due(timezone.now())[:BATCH])
        if not batch:
            break
        try:
            delivered += _deliver_batch(destination, batch)
        except Unreachable as error:
            _note_failure(batch, str(error))
            destination.failures += 1
            destination.last_error = str(error)[:500]
            return _release(destination, wait_after(destination.failures), delivered)
    destination.failures = 0
    destination.last_error = ""
    return _release(destination, timedelta(0), delivered)


def _release(destination: NotificationDestination, wait: timedelta, delivered: int) -> int:
    destination.next_attempt_at = timezone.now() + wait
    destination.save(update_fields=["next_attempt_at", "failures", "last_error"])
    return delivered


def _deliver_batch(destination: NotificationDestination, batch: Sequence[Notification]) -> int:
    try:
        _post(destination, batch)
    except Unreachable:
        raise
    except NotDelivered as error:
        if len(batch) > 1:
            return sum(_deliver_batch(destination, [notification]) for notification in batch)
        _note_failure(batch, str(error))
        return 0
    Notification.objects.filter(pk__in=[n.pk for n in batch]).update(
        delivered_at=timezone.now(), last_error=""
    )
    return len(batch)


def _note_failure(batch: Sequence[Notification], error: str) -> None:
    now = timezone.now()
    for notification in batch:
        notification.attempts += 1
        notification.last_error = error[:500]
        notification.next_attempt_at = now + wait_after(notification.attempts)
        if notification.event_at <= now - limits.NOTIFICATIONS_GIVEN_UP_AFTER:
            notification.given_up_at = now
    Notification.objects.bulk_update(
        batch, ["attempts", "last_error", "next_attempt_at", "given_up_at"]
    )


def wait_after(failures: int) -> timedelta:
    """5 s, 10 s, 20 s ... up to half an hour."""
    doublings = min(failures - 1, 20)
    return min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def _post(destination: NotificationDestination, batch: Sequence[Notification]) -> None:
    requester = destination.requester
    body = json.dumps(
        {
            "EventDocId": ids.new_entity_id(),
            "CustomerId": requester.requester_id,
            "SourceAccount": requester.requester_id,
            "EventDocVersion": "2014-08-15",
            "Events": [event_document(notification) for notification in batch],
        }
    ).encode()
    mac = hmac.new(requester.signing_secret.encode(), body, hashlib.sha256).hexdigest()
    post_json(destination.url, body, {"X-Fabula-Signature": f"sha256={mac}"})


def event_document(notification: Notification) -> dict[str, str]:
    document = {
        "EventType": notification.event,
        "EventTimestamp": notification.event_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "HITTypeId": notification.hit_type_id,
        "HITId": notification.hit_id,
        "AssignmentId": notification.assignment_id,
        "WorkerId": notification.worker_id,
        "FabulaReply": notification.text,
    }
    return {name: value for name, value in document.items() if value}
