"""Granting and withdrawing a requester's own qualifications."""

from datetime import datetime

from django.db import transaction
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from marketplace.errors import InvalidState
from marketplace.models import QualificationGrant, QualificationType, Worker
from marketplace.services.messages import send_messages

Status = QualificationGrant.Status
# As much of it as the subject of a message takes.
LONGEST_NAME = 150


@transaction.atomic
def grant_qualification(
    *,
    qualification_type: QualificationType,
    worker: Worker,
    at: datetime,
    value: int = 1,
    notify: bool = True,
) -> QualificationGrant:
    """Grant it, or change the value of one granted before; with `notify` by a message, too."""
    grant, _made = QualificationGrant.objects.update_or_create(
        qualification_type=qualification_type,
        worker=worker,
        defaults={
            "value": value,
            "status": Status.GRANTED,
            "reason": "",
            "notify": notify,
            "granted_at": at,
        },
    )
    if notify:
        send_messages(
            requester=qualification_type.requester,
            workers=[worker],
            subject=_("You now have the qualification “%(name)s”")
            % {"name": Truncator(qualification_type.name).chars(LONGEST_NAME)},
            text=qualification_type.description,
            at=at,
        )
    return grant


@transaction.atomic
def withdraw_qualification(
    *, qualification_type: QualificationType, worker: Worker, reason: str = ""
) -> QualificationGrant:
    """Raises InvalidState when the worker does not have it."""
    grant = (
        QualificationGrant.objects.select_for_update(no_key=True)
        .filter(qualification_type=qualification_type, worker=worker, status=Status.GRANTED)
        .first()
    )
    if grant is None:
        raise InvalidState("InvalidQualificationState", Status.GRANTED)
    grant.status = Status.REVOKED
    grant.reason = reason
    grant.save(update_fields=["status", "reason"])
    return grant
