"""Writes the events that a HIT type's requester asked to be told."""

from datetime import datetime

from database.rows import insert
from marketplace.models import HIT, Assignment, HITType, Notification, NotificationSetting
from marketplace.models.notification import Event

# An event that MTurk does not have cannot be asked for: it goes to whoever asked for this one.
TOLD_WITH: dict[str, str] = {Event.REJECTION_ANSWERED: Event.ASSIGNMENT_REJECTED}


def tell(
    hit_type: HITType,
    event: str,
    *,
    at: datetime,
    hit: HIT | None = None,
    assignment: Assignment | None = None,
    text: str = "",
) -> None:
    """Write the event in the caller's transaction, when the HIT type's settings want it."""
    # Read with the lock of the group; absent where the requester never set any.
    setting: NotificationSetting | None = getattr(hit_type, "notification_setting", None)
    if setting is None or not setting.is_active:
        return
    if TOLD_WITH.get(event, event) not in setting.event_types:
        return
    insert(
        Notification(
            destination_id=setting.destination_id,
            event=event,
            event_at=at,
            next_attempt_at=at,
            hit_type_id=hit_type.hit_type_id,
            hit_id=hit.hit_id if hit else "",
            assignment_id=assignment.assignment_id if assignment else "",
            worker_id=assignment.worker.worker_id if assignment else "",
            text=text,
        )
    )
