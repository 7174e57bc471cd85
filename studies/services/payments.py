"""Approvals and rejections: decided once as rows, sent until the marketplace has them."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies import mturk
from studies.models import (
    Assignment,
    AssignmentState,
    Payment,
    PaymentKind,
    PaymentState,
    ResponseState,
)

BATCH = 200
STATE_OF_KIND = {
    PaymentKind.APPROVE: AssignmentState.APPROVED,
    PaymentKind.REJECT: AssignmentState.REJECTED,
}


class ReasonMissing(Exception):
    """A rejection needs a reason that the worker can read."""


@transaction.atomic
def decide_payment(
    *, assignments: Iterable[Assignment], kind: PaymentKind, reason: str = "", user: Any = None
) -> int:
    """Record the wish to approve or reject these assignments; how many are new.

    Only confirmed responses that nobody has decided yet; deciding again changes nothing.
    """
    if kind == PaymentKind.REJECT and not reason.strip():
        raise ReasonMissing
    ids = [assignment.pk for assignment in assignments]
    locked = Assignment.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    # Only behind the locks is it visible what somebody else has just decided.
    open_ids = Assignment.objects.filter(
        pk__in=list(locked.values_list("pk", flat=True)),
        state=AssignmentState.SUBMITTED,
        response__state=ResponseState.CONFIRMED,
        payment__isnull=True,
    ).values_list("pk", flat=True)
    made = Payment.objects.bulk_create(
        Payment(assignment_id=pk, kind=kind, reason=reason.strip(), decided_by=user)
        for pk in open_ids
    )
    return len(made)


def send_payments() -> int:
    """Send what is wanted; how many the marketplace now has. Raises MarketplaceUnavailable.

    A crash between the call and the note of it leads to a second call, which the marketplace
    refuses because the assignment is decided; asking for its status settles which way.
    """
    sent = 0
    wanted = Payment.objects.filter(state=PaymentState.WANTED).order_by("created_at", "pk")
    for pk in list(wanted.values_list("pk", flat=True)[:BATCH]):
        # Somebody else may have sent it meanwhile, or changed the wish.
        payment = wanted.select_related("assignment").filter(pk=pk).first()
        sent += payment is not None and _send(payment)
    return sent


def _send(payment: Payment) -> bool:
    """Whether the marketplace now has it. The wish may change during the call: then it goes out."""
    marketplace_id = payment.assignment.marketplace_id
    sent = Payment.objects.filter(
        pk=payment.pk,
        state=PaymentState.WANTED,
        kind=payment.kind,
        overruled_at=payment.overruled_at,
    )
    kind = PaymentKind(payment.kind)
    try:
        if payment.overruled_at is not None:
            mturk.approve_after_all(marketplace_id)
        elif kind == PaymentKind.APPROVE:
            mturk.approve(marketplace_id, payment.reason)
        else:
            mturk.reject(marketplace_id, payment.reason)
    except mturk.MarketplaceRefused as refusal:
        facts = mturk.submitted_assignment(marketplace_id)
        if facts is None or facts.status.lower() != STATE_OF_KIND[kind].value:
            sent.update(state=PaymentState.REFUSED, error=str(refusal))
            return False
    with transaction.atomic():
        confirmed = sent.update(state=PaymentState.CONFIRMED, confirmed_at=timezone.now())
        if confirmed:
            Assignment.objects.filter(pk=payment.assignment_id).update(state=STATE_OF_KIND[kind])
    return bool(confirmed)
