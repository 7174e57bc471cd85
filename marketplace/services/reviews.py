"""Approving and rejecting what workers submitted, and what they say to a rejection."""

from datetime import datetime

from django.db import transaction

from marketplace import limits
from marketplace.errors import (
    HITDeleted,
    InvalidState,
    NotRejected,
    RejectionTooOld,
    RepliedAlready,
)
from marketplace.models import HIT, Assignment, HITType
from marketplace.models.notification import Event
from marketplace.services.funds import pay_assignment
from marketplace.services.hit_changes import changing, lock_group
from marketplace.services.outbox import tell

Status = Assignment.Status
WRONG_STATE = "InvalidAssignmentState"


@transaction.atomic
def approve_assignment(
    *,
    assignment: Assignment,
    at: datetime,
    feedback: str | None = None,
    override_rejection: bool = False,
) -> Assignment:
    """Pay a submitted assignment, or with `override_rejection` one rejected by mistake.

    Raises InvalidState; of a rejection to be overridden RejectionTooOld, HITDeleted, or
    InsufficientFunds when it is not covered.
    """
    hit_type, assignment = _locked(assignment)
    was_rejected = assignment.status == Status.REJECTED
    if was_rejected and override_rejection:
        _check_override(assignment, at)
    elif assignment.status != Status.SUBMITTED:
        raise InvalidState(WRONG_STATE, Status.SUBMITTED)
    assignment.status = Status.APPROVED
    assignment.approved_at = at
    if feedback is not None:
        assignment.requester_feedback = feedback
    assignment.save()
    if not was_rejected:
        _count_as_reviewed(assignment.hit, hit_type, at)
    pay_assignment(assignment=assignment, hit_type=hit_type)
    tell(hit_type, Event.ASSIGNMENT_APPROVED, at=at, hit=assignment.hit, assignment=assignment)
    return assignment


@transaction.atomic
def reject_assignment(*, assignment: Assignment, feedback: str, at: datetime) -> Assignment:
    """Raises InvalidState unless it is submitted and undecided."""
    hit_type, assignment = _locked(assignment)
    if assignment.status != Status.SUBMITTED:
        raise InvalidState(WRONG_STATE, Status.SUBMITTED)
    assignment.status = Status.REJECTED
    assignment.rejected_at = at
    assignment.requester_feedback = feedback
    assignment.save()
    _count_as_reviewed(assignment.hit, hit_type, at)
    tell(hit_type, Event.ASSIGNMENT_REJECTED, at=at, hit=assignment.hit, assignment=assignment)
    return assignment


@transaction.atomic
def reply_to_rejection(*, assignment: Assignment, text: str, at: datetime) -> Assignment:
    """Keep what the worker says to it, and tell the requester; the same text again changes nothing.

    Raises NotRejected, or RepliedAlready, also when the rejection has been overridden since.
    """
    hit_type, assignment = _locked(assignment)
    if assignment.replied_at is not None:
        if assignment.worker_reply == text:
            return assignment
        raise RepliedAlready
    if assignment.status != Status.REJECTED:
        raise NotRejected
    assignment.worker_reply = text
    assignment.replied_at = at
    assignment.save(update_fields=["worker_reply", "replied_at"])
    event = Event.REJECTION_ANSWERED
    tell(hit_type, event, at=at, hit=assignment.hit, assignment=assignment, text=text)
    return assignment


def _check_override(assignment: Assignment, at: datetime) -> None:
    assert assignment.submitted_at is not None
    if assignment.submitted_at < at - limits.REJECTION_OVERRIDE_WITHIN:
        raise RejectionTooOld(limits.REJECTION_OVERRIDE_WITHIN.days)
    if assignment.hit.status == HIT.Status.DISPOSED:
        raise HITDeleted(assignment.hit.status)


def _count_as_reviewed(hit: HIT, hit_type: HITType, at: datetime) -> None:
    with changing(hit, hit_type, at):
        hit.submitted -= 1
        hit.completed += 1


def _locked(assignment: Assignment) -> tuple[HITType, Assignment]:
    hit_type = lock_group(assignment.hit.hit_type_id)
    return hit_type, Assignment.objects.select_related("hit", "worker").get(pk=assignment.pk)
