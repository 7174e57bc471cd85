"""What the marketplace says about assignments, applied to ours.

Told by notifications, asked by a job; each step is safe to repeat and comes to the same end in any
order.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest
from django.utils import timezone

from studies import mturk
from studies.models import (
    Assignment,
    AssignmentState,
    Hold,
    Response,
    ResponseState,
    Round,
    RoundState,
    Slot,
    Task,
)
from studies.services import holds, occupancy, rejections
from studies.services.admission import is_limited

logger = logging.getLogger(__name__)

# The marketplace's clock and ours may differ; a submit may be on its way at the deadline.
GRACE = timedelta(seconds=60)
BATCH = 200
STATE_OF_STATUS = {
    "Submitted": AssignmentState.SUBMITTED,
    "Approved": AssignmentState.APPROVED,
    "Rejected": AssignmentState.REJECTED,
}


def find_assignment(*, assignment_id: str, worker_id: str) -> Assignment | None:
    return (
        Assignment.objects.filter(
            marketplace_id=assignment_id, participant__worker__marketplace_id=worker_id
        )
        .select_related("task__round", "participant__worker")
        .order_by("-accepted_at")
        .first()
    )


def receive_event(event: Mapping[str, Any]) -> int | None:
    """Apply one event of a notification; the assignment to confirm with the marketplace, if any."""
    assignment = find_assignment(
        assignment_id=str(event.get("AssignmentId", "")), worker_id=str(event.get("WorkerId", ""))
    )
    if assignment is None:
        if event.get("EventType") == "AssignmentSubmitted":
            replace_spent_slot(hit_id=str(event.get("HITId", "")))
        return None
    match event.get("EventType"):
        case "AssignmentReturned":
            _give_up(assignment, AssignmentState.RETURNED)
        case "AssignmentAbandoned":
            _give_up(assignment, AssignmentState.ABANDONED)
        case "RejectionAnswered":
            text, at = str(event.get("FabulaReply", "")), _time_of(event)
            rejections.keep_answer(assignment=assignment, text=text, at=at)
            return assignment.pk
        case "AssignmentSubmitted" | "AssignmentApproved" | "AssignmentRejected":
            return assignment.pk
    return None


def _time_of(event: Mapping[str, Any]) -> datetime:
    try:
        at = datetime.fromisoformat(str(event.get("EventTimestamp", "")))
    except ValueError:
        return timezone.now()
    return at if at.tzinfo else timezone.now()


@transaction.atomic
def _give_up(assignment: Assignment, state: AssignmentState) -> None:
    """The marketplace takes no answers for it any more, also not those that wait to be sent on."""
    occupancy.lock_round(assignment.task.round)
    if not occupancy.end_reservation(assignment=assignment, state=state):
        occupancy.never_arrived(assignment=assignment)


def confirm_response(assignment_id: int) -> bool:
    """Ask the marketplace about one assignment and record its answer; whether it is confirmed.

    Raises MarketplaceUnavailable.
    """
    assignment = Assignment.objects.select_related("task__round", "participant__worker").get(
        pk=assignment_id
    )
    facts = mturk.submitted_assignment(assignment.marketplace_id)
    worker = assignment.participant and assignment.participant.worker.marketplace_id
    if facts is not None and facts.worker_id == worker:
        return _record(assignment, facts)
    if assignment.deadline is not None and assignment.deadline + GRACE < timezone.now():
        with transaction.atomic():
            occupancy.lock_round(assignment.task.round)
            occupancy.never_arrived(assignment=assignment)
    return False


@transaction.atomic
def replace_spent_slot(*, hit_id: str) -> bool:
    """The marketplace took a submission for this slot that carries no response: add a new slot.

    Such a submission may have to be paid, so only so many are replaced in a round (see
    `replaceable_slots`); after that a researcher looks first and extends the round.
    """
    slot = Slot.objects.filter(hit_id=hit_id).exclude(hit_id="").select_related("round").first()
    if slot is None:
        return False
    occupancy.lock_round(slot.round)
    if not Slot.objects.filter(pk=slot.pk, spent=False).update(spent=True):
        return False
    spent_now = Slot.objects.filter(round=slot.round, spent=True).count()
    if spent_now > replaceable_slots(Slot.objects.filter(round=slot.round).count() - spent_now):
        logger.error("round %s: too many submissions without a response", slot.round_id)
        return False
    Slot.objects.create(round_id=slot.round_id)
    return True


def replaceable_slots(slots: int) -> int:
    """How many submissions without a response are made good: one in twenty, and at least three."""
    return max(3, slots // 20)


@transaction.atomic
def _record(assignment: Assignment, facts: mturk.AssignmentFacts) -> bool:
    state = STATE_OF_STATUS[facts.status]
    occupancy.lock_round(assignment.task.round)
    current = (
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("slot")
        .get(pk=assignment.pk)
    )
    if current.marketplace_id != assignment.marketplace_id:
        return False
    response = Response.objects.filter(assignment=current).first()
    if response is None:
        logger.warning("assignment %s was submitted without a response", current.pk)
        occupancy.end_reservation(assignment=assignment, state=AssignmentState.ABANDONED)
        if current.slot is not None:
            replace_spent_slot(hit_id=current.slot.hit_id)
        return False
    if response.state == ResponseState.UNCONFIRMED:
        Task.objects.filter(pk=current.task_id).update(
            taken=F("taken") + 1, overlap=Greatest(F("overlap"), F("taken") + 1)
        )
    if response.state in {ResponseState.SUBMITTED, ResponseState.UNCONFIRMED}:
        response.state = ResponseState.CONFIRMED
        response.confirmed_at = timezone.now()
        response.save(update_fields=["state", "confirmed_at"])
    if current.state != state:
        current.state = state
        current.ended_at = None
        current.save(update_fields=["state", "ended_at"])
    rejections.keep_reply(assignment=current, facts=facts)
    return True


def end_lapsed() -> int:
    """End the reservations whose time has passed and that no notification has ended."""
    lapsed = Assignment.objects.filter(
        state=AssignmentState.ACCEPTED, deadline__lt=timezone.now() - GRACE
    ).select_related("task__round")
    return sum(
        occupancy.end_reservation(assignment=assignment, state=AssignmentState.ABANDONED)
        for assignment in lapsed.order_by("deadline")[:BATCH]
    )


def confirm_waiting() -> int:
    """Ask about the responses that no notification has confirmed; how many now are."""
    now = timezone.now()
    waiting = Response.objects.filter(
        state=ResponseState.SUBMITTED, submitted_at__lt=now - timedelta(seconds=20)
    ).order_by("submitted_at")
    undecided = Response.objects.filter(
        state=ResponseState.CONFIRMED,
        assignment__state=AssignmentState.SUBMITTED,
        submitted_at__lt=now - GRACE - F("assignment__task__round__auto_approval_delay"),
    ).order_by("submitted_at")
    ids = [
        *waiting.values_list("assignment_id", flat=True)[:BATCH],
        *undecided.values_list("assignment_id", flat=True)[:BATCH],
    ]
    return _each("confirm assignment", ids, confirm_response)


def look_for_answers() -> int:
    """Ask about the rejections that nobody has answered, as far as we were told; how many there
    are. A notification may be lost, or nobody be told at all. Raises MarketplaceUnavailable."""
    rejected = Assignment.objects.filter(
        Q(payment__isnull=True) | Q(payment__answer=""),
        state=AssignmentState.REJECTED,
        submitted_at__gt=timezone.now() - rejections.OVERRULED_WITHIN,
    ).order_by("submitted_at")
    return _each("look for an answer", rejected.values_list("pk", flat=True), confirm_response)


def apply_holds() -> int:
    """Bring the marketplace's "nothing left" qualifications in line with what suits whom."""
    offered = Round.objects.filter(state__in=[RoundState.OPEN, RoundState.PUBLISHING])
    for round in offered.filter(holds__wanted=True).distinct():
        holds.lift_holds(round=round)
    for round in offered.filter(is_limited()).exclude(hold_qualification_type_id="").distinct():
        holds.hold_back_refused(round=round)
    pending = Hold.objects.filter(applied=False).order_by("pk").values_list("pk", flat=True)
    return _each("apply hold", pending[:BATCH], sync_hold)


def _each(what: str, ids: Iterable[int], action: Callable[[int], bool]) -> int:
    """Act on each row; how many succeeded. One that the marketplace refuses stops no other."""
    succeeded = 0
    for row_id in ids:
        try:
            succeeded += action(row_id)
        except mturk.MarketplaceRefused:
            logger.exception("the marketplace refused: %s %s", what, row_id)
    return succeeded


def sync_hold(hold_id: int) -> bool:
    """Grant or revoke one "nothing left" qualification. Raises MarketplaceUnavailable."""
    hold = Hold.objects.select_related("round", "participant__worker").get(pk=hold_id)
    if hold.applied:
        return False
    qualification = hold.round.hold_qualification_type_id
    worker_id = hold.participant.worker.marketplace_id
    try:
        if hold.wanted:
            mturk.grant_qualification(qualification, worker_id)
        else:
            mturk.revoke_qualification(qualification, worker_id)
    except mturk.QualificationTypeGone:
        # It will never be there again: to try once more would be in vain.
        logger.warning("%s can hold back nobody: its qualification is gone", hold.round)
    if Hold.objects.filter(pk=hold.pk, wanted=hold.wanted).update(applied=True):
        return True
    # The wish has changed meanwhile, and whose call came last is not known: tell it again.
    Hold.objects.filter(pk=hold.pk).update(applied=False)
    return False
