"""Responses in any state, for pages that show them."""

import secrets
from datetime import timedelta
from typing import Any

from django.utils import timezone

from studies.models import (
    Assignment,
    AssignmentState,
    Participant,
    Response,
    ResponseState,
    Round,
    Task,
)
from tests.studies.factories import free_slot, make_participant

ANSWERS = {
    "assertion": "The visitor is calm.",
    "justification": [2, 4],
    "changed_assertion": "The visitor is in a hurry.",
    "revision": [
        "Mira set the kettle on the stove.",
        "The rain had not stopped since noon.",
        "She counted the cups on the shelf twice.",
        "A car raced into the yard.",
        "Mira dried her hands and opened the door.",
    ],
}


def make_response(
    round: Round,
    *,
    participant: Participant | None = None,
    state: ResponseState = ResponseState.CONFIRMED,
    assignment_state: AssignmentState = AssignmentState.SUBMITTED,
    minutes: int = 5,
    **fields: Any,
) -> Response:
    """A response that took `minutes`, on the first task this worker has not had."""
    participant = participant or make_participant(round)
    task = Task.objects.filter(round=round).exclude(assignments__participant=participant)[0]
    at = fields.pop("submitted_at", timezone.now())
    assignment = Assignment.objects.create(
        task=task,
        participant=participant,
        slot=free_slot(round),
        marketplace_id=secrets.token_hex(15).upper(),
        state=assignment_state,
        accepted_at=at - timedelta(minutes=minutes),
        submitted_at=at,
    )
    if assignment_state != AssignmentState.ABANDONED:
        task.taken = min(task.taken + 1, task.overlap)
        task.save()
    return Response.objects.create(
        **{
            "assignment": assignment,
            "task_type": round.task_type,
            "schema_version": 1,
            "answers": ANSWERS,
            "state": state,
            "submitted_at": at,
            "confirmed_at": at if state == ResponseState.CONFIRMED else None,
        }
        | fields
    )
