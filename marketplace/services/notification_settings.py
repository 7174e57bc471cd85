"""Where a HIT type's events go, and test events."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from marketplace import ids
from marketplace.models import (
    HITType,
    Notification,
    NotificationDestination,
    NotificationSetting,
    Requester,
)
from marketplace.models.notification import VERSIONS


@transaction.atomic
def set_notifications(
    *,
    hit_type: HITType,
    url: str,
    transport: str,
    version: str,
    event_types: Sequence[str],
    is_active: bool,
    at: datetime,
) -> NotificationSetting:
    """Replaces what was set before."""
    setting, _ = NotificationSetting.objects.update_or_create(
        hit_type=hit_type,
        defaults={
            "destination": destination_for(hit_type.requester, url, at),
            "transport": transport,
            "version": version,
            "event_types": list(event_types),
            "is_active": is_active,
        },
    )
    return setting


@transaction.atomic
def send_test_event(
    *, requester: Requester, url: str, event: str, at: datetime, version: str = VERSIONS[-1]
) -> Notification:
    """With ids that are nobody's, where an event of its kind has some.

    No settings say which version it is told in, so it keeps that as its text.
    """
    is_of_worker = event.startswith("Assignment")
    return Notification.objects.create(
        destination=destination_for(requester, url, at),
        event=event,
        event_at=at,
        next_attempt_at=at,
        hit_type_id=ids.new_entity_id(),
        hit_id=ids.new_entity_id(),
        assignment_id=ids.new_entity_id() if is_of_worker else "",
        worker_id=ids.new_worker_id() if is_of_worker else "",
        text=version,
    )


def destination_for(requester: Requester, url: str, at: datetime) -> NotificationDestination:
    destination, _ = NotificationDestination.objects.get_or_create(
        requester=requester, url=url, defaults={"next_attempt_at": at}
    )
    return destination
