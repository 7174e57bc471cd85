"""Responses in any state, for pages that show them."""

import secrets
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.db.models.functions import Least
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
from tests.studies.factories import free_slot, free_slots, make_participant

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


def make_responses(round: Round, *, participant: Participant, count: int) -> list[Response]:
    """So many confirmed responses of one worker, on the first tasks they have not had."""
    now = timezone.now()
    tasks = round.tasks.exclude(assignments__participant=participant).order_by("pk")[:count]
    assignments = Assignment.objects.bulk_create(
        Assignment(
            task=task,
            participant=participant,
            slot=slot,
            marketplace_id=secrets.token_hex(15).upper(),
            state=AssignmentState.SUBMITTED,
            accepted_at=now - timedelta(minutes=5),
            submitted_at=now,
        )
        for task, slot in zip(tasks, free_slots(round)[:count], strict=True)
    )
    taken = Least(F("taken") + 1, F("overlap"))
    Task.objects.filter(pk__in=[one.task_id for one in assignments]).update(taken=taken)
    return Response.objects.bulk_create(
        Response(
            assignment=assignment,
            task_type=round.task_type,
            schema_version=1,
            answers=ANSWERS,
            state=ResponseState.CONFIRMED,
            submitted_at=now,
            confirmed_at=now,
        )
        for assignment in assignments
    )
