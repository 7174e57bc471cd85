"""Whether how a text comes to be may be recorded, and the record itself.

The worker's consent decides, at the moment of every write. Evidence that cannot be read never
stands in the way of a draft or a response: it is dropped, and the reason is logged.
"""

import logging
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies import task_types
from studies.models import Assignment, Participant, Round
from studies.models.worker import RECORDING_VERSION
from studies.services import evidence

logger = logging.getLogger(__name__)


@transaction.atomic
def decide_recording(*, participant: Participant, agreed: bool) -> None:
    """The worker's answer. A no also takes away what was recorded of tasks not yet submitted."""
    participant.recording_agreed = agreed
    participant.recording_decided_at = timezone.now()
    participant.recording_version = RECORDING_VERSION
    participant.save(
        update_fields=["recording_agreed", "recording_decided_at", "recording_version"]
    )
    if not agreed:
        # Waits for a draft that is being saved; a later one finds the no.
        Assignment.objects.filter(participant=participant, response__isnull=True).exclude(
            evidence={}
        ).update(evidence={})


def asks_to_record(round: Round) -> bool:
    """Whether workers are asked about it at all: the study wants it, and something is written."""
    written = {task_type.slug for task_type in task_types.all_types() if task_type.is_written}
    return round.study.records_process and round.task_type in written


def may_record(assignment: Assignment) -> bool:
    """Whether study and worker want it now. Ask while holding the assignment's lock."""
    return Participant.objects.filter(
        assignments=assignment.pk,
        study__records_process=True,
        recording_agreed=True,
        recording_version=RECORDING_VERSION,
    ).exists()


def add_evidence(*, assignment: Assignment, sent: Any, revision: int) -> None:
    """Add what a page sent along with a draft; the caller holds the row's lock and saves it."""
    kept: dict[str, Any] = assignment.evidence
    if kept.get("unreadable") or not may_record(assignment):
        return
    try:
        assignment.evidence = evidence.add_page(kept, sent, revision=revision)
    except evidence.Unreadable as error:
        logger.warning("Evidence of assignment %s is dropped: %s", assignment.pk, error.code)
        assignment.evidence = evidence.unreadable(kept)


def frozen_evidence(assignment: Assignment, note: str | None) -> dict[str, Any] | None:
    """What goes with the assignment's response."""
    if not assignment.evidence or not may_record(assignment):
        return None
    return evidence.freeze(assignment.evidence, note)
