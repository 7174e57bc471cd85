"""Granting and withdrawing a requester's own qualifications."""

from datetime import datetime

from django.db import transaction

from marketplace.errors import InvalidState
from marketplace.models import QualificationGrant, QualificationType, Worker

Status = QualificationGrant.Status


@transaction.atomic
def grant_qualification(
    *,
    qualification_type: QualificationType,
    worker: Worker,
    at: datetime,
    value: int = 1,
    notify: bool = True,
) -> QualificationGrant:
    """Grant it, or change the value of one granted before."""
    grant, _ = QualificationGrant.objects.update_or_create(
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
