"""What became of a rejection: what the worker says to it, and whether it is taken back."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies import mturk
from studies.models import Assignment, AssignmentState, Payment, PaymentKind, PaymentState

# Later than this after the submit, the marketplace refuses.
OVERRULED_WITHIN = timedelta(days=30)


def keep_answer(*, assignment: Assignment, text: str, at: datetime) -> bool:
    """Keep what the worker says; whether it is new. Told again, in any words, it stays as it is."""
    unanswered = Payment.objects.filter(assignment=assignment, answer="")
    return bool(text.strip() and unanswered.update(answer=text, answered_at=at))


def keep_reply(*, assignment: Assignment, facts: mturk.AssignmentFacts) -> bool:
    """`keep_answer` as the marketplace has it, also to a rejection that was not made here.

    The caller holds the assignment's row, as whoever decides on a payment does.
    """
    if not facts.reply or facts.replied_at is None:
        return False
    rejected = facts.status == "Rejected"
    Payment.objects.get_or_create(
        assignment=assignment,
        defaults={
            "kind": PaymentKind.REJECT if rejected else PaymentKind.APPROVE,
            "reason": facts.feedback,
            "state": PaymentState.CONFIRMED,
            "confirmed_at": timezone.now(),
        },
    )
    return keep_answer(assignment=assignment, text=facts.reply, at=facts.replied_at)


def can_be_overruled(payment: Payment, *, at: datetime) -> bool:
    """A rejection that the marketplace has, in time; one whose overruling it refused, too."""
    stands = payment.kind == PaymentKind.REJECT and payment.state == PaymentState.CONFIRMED
    tried = payment.overruled_at is not None and payment.state == PaymentState.REFUSED
    assignment = payment.assignment
    return (
        (stands or tried)
        and assignment.state == AssignmentState.REJECTED
        and assignment.submitted_at is not None
        and at < assignment.submitted_at + OVERRULED_WITHIN
    )


@transaction.atomic
def approve_after_all(*, assignment: Assignment, user: Any = None) -> bool:
    """Wish that a rejected assignment be paid; whether it now is wished and was not before."""
    locked = Payment.objects.select_for_update(no_key=True, of=("self",))
    now = timezone.now()
    payment = locked.select_related("assignment").filter(assignment=assignment).first()
    if payment is None or not can_be_overruled(payment, at=now):
        return False
    payment.kind, payment.state = PaymentKind.APPROVE, PaymentState.WANTED
    payment.overruled_at, payment.decided_by = now, user
    payment.error, payment.confirmed_at = "", None
    payment.save()
    return True
