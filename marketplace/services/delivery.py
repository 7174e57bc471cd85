"""Delivers notifications: in order, signed, again and again for a day.

A destination is taken with a lease, so that one process at a time posts to it; requests are made
outside any transaction. What comes together is sent in one message; events that were tried before
go in the same company again, under the same id, so that a receiver can tell the repeat. A message
that the other side refuses is sent again event by event: one that it cannot digest does not hold up
the rest.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.crypto import salted_hmac

from marketplace import limits
from marketplace.models import Notification, NotificationDestination, NotificationSetting
from marketplace.models.notification import VERSIONS, Event
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
        due = list(destination.notifications.due(timezone.now())[:BATCH])
        if not due:
            break
        message = _first_message(due)
        try:
            delivered += _deliver(destination, message)
        except Unreachable as error:
            _note_failure(message.events, str(error))
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


class Message(NamedTuple):
    version: str
    events: Sequence[Notification]


def _first_message(due: Sequence[Notification]) -> Message:
    """The first ones that belong together: of one version, all new or all tried together."""
    versions = dict(
        NotificationSetting.objects.filter(
            hit_type__hit_type_id__in={notification.hit_type_id for notification in due}
        ).values_list("hit_type__hit_type_id", "version")
    )

    def company(notification: Notification) -> tuple[str, datetime | None]:
        tried = notification.next_attempt_at if notification.attempts else None
        version = _asked_version(notification) or versions.get(notification.hit_type_id)
        return version or VERSIONS[-1], tried

    (version, _tried), events = next(groupby(due, company))
    return Message(version, list(events))


def _asked_version(notification: Notification) -> str:
    """Of a test event, which needs no settings."""
    return "" if notification.event == Event.REJECTION_ANSWERED else notification.text


def _deliver(destination: NotificationDestination, message: Message) -> int:
    """How many were delivered; raises Unreachable when nobody answers."""
    version, events = message
    try:
        _post(destination, message)
    except Unreachable:
        raise
    except NotDelivered as error:
        if len(events) > 1:
            return sum(_deliver(destination, Message(version, [event])) for event in events)
        _note_failure(events, str(error))
        return 0
    Notification.objects.filter(pk__in=[event.pk for event in events]).update(
        delivered_at=timezone.now(), last_error=""
    )
    return len(events)


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


def _post(destination: NotificationDestination, message: Message) -> None:
    requester = destination.requester
    body = json.dumps(
        {
            "EventDocId": event_document_id(message.events),
            "CustomerId": requester.requester_id,
            "SourceAccount": requester.requester_id,
            "EventDocVersion": message.version,
            "Events": [event_document(event) for event in message.events],
        }
    ).encode()
    mac = hmac.new(requester.signing_secret.encode(), body, hashlib.sha256).hexdigest()
    post_json(destination.url, body, {"X-Fabula-Signature": f"sha256={mac}"})


def event_document_id(events: Sequence[Notification]) -> str:
    """In the shape of MTurk's ids, made of the rows' keys: the same for the same events."""
    keys = ",".join(str(event.pk) for event in events)
    mac = salted_hmac("marketplace.notification", keys, algorithm="sha256")
    return f"3{mac.hexdigest()[:29].upper()}"


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
