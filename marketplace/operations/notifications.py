from __future__ import annotations

from typing import TYPE_CHECKING

from marketplace.models import HITType, NotificationSetting
from marketplace.models.notification import VERSIONS, Event
from marketplace.operations.owned import owned_hit_type
from marketplace.outgoing import Unreachable, refuse_hopeless
from marketplace.protocol.errors import ParameterInvalid, RequestError, ValueInvalid
from marketplace.protocol.registry import Answer, Call, operation
from marketplace.services.notification_settings import send_test_event, set_notifications

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import (
        NotificationSpecificationTypeDef,
        SendTestEventNotificationRequestTypeDef,
        UpdateNotificationSettingsRequestTypeDef,
    )


@operation("UpdateNotificationSettings")
def update_notification_settings(
    call: Call[UpdateNotificationSettingsRequestTypeDef],
) -> Answer:
    """The Destination is the http(s) address to which the events are posted."""
    given = call.parameters
    hit_type = owned_hit_type(call.requester, given["HITTypeId"])
    specification = given.get("Notification")
    if specification is None:
        _switch(hit_type, given.get("Active"))
        return {}
    _check(specification)
    if Event.PING in specification["EventTypes"]:
        raise ParameterInvalid("Ping is only for SendTestEventNotification.")
    set_notifications(
        hit_type=hit_type,
        url=specification["Destination"],
        transport=specification["Transport"],
        version=specification["Version"],
        event_types=specification["EventTypes"],
        is_active=given.get("Active", True),
        at=call.at,
    )
    return {}


@operation("SendTestEventNotification")
def send_test_event_notification(call: Call[SendTestEventNotificationRequestTypeDef]) -> Answer:
    specification = call.parameters["Notification"]
    _check(specification)
    send_test_event(
        requester=call.requester,
        url=specification["Destination"],
        version=specification["Version"],
        event=call.parameters["TestEventType"],
        at=call.at,
    )
    return {}


def _switch(hit_type: HITType, is_active: bool | None) -> None:
    if is_active is None:
        raise ParameterInvalid("Notification or Active is required.")
    settings = NotificationSetting.objects.filter(hit_type=hit_type)
    if not settings.update(is_active=is_active):
        raise RequestError(
            "The HIT type has no notification specification to switch.", "InvalidTransport"
        )


def _check(specification: NotificationSpecificationTypeDef) -> None:
    if specification["Transport"] == "Email":
        raise ParameterInvalid("Transport Email is not available yet on this marketplace.")
    version = specification["Version"]
    if version not in VERSIONS:
        raise ValueInvalid(version, "Version", f"It must be one of {', '.join(VERSIONS)}.")
    destination = specification["Destination"]
    try:
        refuse_hopeless(destination)
    except Unreachable as error:
        raise ValueInvalid(destination, "Destination", str(error)) from error
