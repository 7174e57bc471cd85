"""Delivers notifications: in order, signed, again and again for a day.

A destination is taken with a lease, so that one process at a time posts to it; requests are made
outside any transaction. Each event is a message of its own with an id of its own, the same at every
attempt: a receiver that answered in vain can tell the repeat, and one event that it cannot digest
does not hold up the rest.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.crypto import salted_hmac

from marketplace import limits
from marketplace.models import Notification, NotificationDestination, NotificationSetting
from marketplace.models.notification import VERSIONS, Event
from marketplace.outgoing import NotDelivered, Unreachable, post_json

FAILED_AT_ONCE = 50
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
        notification = destination.notifications.due(timezone.now()).first()
        if notification is None:
            break
        try:
            delivered += _deliver(destination, notification)
        except Unreachable as error:
            waiting = destination.notifications.due(timezone.now())[:FAILED_AT_ONCE]
            _note_failure(list(waiting), str(error))
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


def _deliver(destination: NotificationDestination, notification: Notification) -> int:
    """How many were delivered; raises Unreachable when nobody answers."""
    try:
        _post(destination, notification)
    except Unreachable:
        raise
    except NotDelivered as error:
        _note_failure([notification], str(error))
        return 0
    notification.delivered_at = timezone.now()
    notification.last_error = ""
    notification.save(update_fields=["delivered_at", "last_error"])
    return 1


def _note_failure(failed: Sequence[Notification], error: str) -> None:
    now = timezone.now()
    for notification in failed:
        notification.attempts += 1
        notification.last_error = error[:500]
        notification.next_attempt_at = now + wait_after(notification.attempts)
        if notification.event_at <= now - limits.NOTIFICATIONS_GIVEN_UP_AFTER:
            notification.given_up_at = now
    Notification.objects.bulk_update(
        failed, ["attempts", "last_error", "next_attempt_at", "given_up_at"]
    )


def wait_after(failures: int) -> timedelta:
    """5 s, 10 s, 20 s ... up to half an hour."""
    doublings = min(failures - 1, 20)
    return min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def _post(destination: NotificationDestination, notification: Notification) -> None:
    requester = destination.requester
    body = json.dumps(
        {
            "EventDocId": event_document_id(notification),
            "CustomerId": requester.requester_id,
            "SourceAccount": requester.requester_id,
            "EventDocVersion": version_of(notification),
            "Events": [event_document(notification)],
        }
    ).encode()
    mac = hmac.new(requester.signing_secret.encode(), body, hashlib.sha256).hexdigest()
    post_json(destination.url, body, {"X-Fabula-Signature": f"sha256={mac}"})


def event_document_id(notification: Notification) -> str:
    """In the shape of MTurk's ids, made of the row's key."""
    mac = salted_hmac("marketplace.notification", str(notification.pk), algorithm="sha256")
    return f"3{mac.hexdigest()[:29].upper()}"


def version_of(notification: Notification) -> str:
    """The one asked for: with the settings of the HIT type, or with a test event."""
    if notification.event != Event.REJECTION_ANSWERED and notification.text:
        return notification.text
    settings = NotificationSetting.objects.filter(hit_type__hit_type_id=notification.hit_type_id)
    return settings.values_list("version", flat=True).first() or VERSIONS[-1]


def event_document(notification: Notification) -> dict[str, str]:
    document = {
        "EventType": notification.event,
        "EventTimestamp": notification.event_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "HITTypeId": notification.hit_type_id,
        "HITId": notification.hit_id,
        "AssignmentId": notification.assignment_id,
        "WorkerId": notification.worker_id,
    }
    if notification.event == Event.REJECTION_ANSWERED:
        document["FabulaReply"] = notification.text
    return {name: value for name, value in document.items() if value}
