"""Signed frame parameters, as the marketplace would send them."""

from datetime import datetime
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from studies.frames import Frame, signature
from studies.models import Round


def query_of(frame: Frame) -> dict[str, str]:
    signed = signature(
        secret=settings.MTURK_SIGNING_SECRET,
        assignment_id=frame.assignment_id,
        worker_id=frame.worker_id,
        hit_id=frame.hit_id,
        submit_to=frame.submit_origin,
        deadline=int(frame.deadline.timestamp()),
    )
    return {
        "assignmentId": frame.assignment_id,
        "hitId": frame.hit_id,
        "workerId": frame.worker_id,
        "turkSubmitTo": frame.submit_origin,
        "fabulaSignature": signed,
    }


def address(round: Round, frame: Frame) -> str:
    return f"{reverse('task', args=[round.public_id])}?{urlencode(query_of(frame))}"


def moment(frame: Frame) -> datetime:
    """The deadline as the signature carries it, in whole seconds."""
    return frame.deadline.replace(microsecond=0)
