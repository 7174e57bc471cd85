"""Bonuses: paid at once, from what is not on hold."""

from datetime import datetime
from decimal import Decimal

from django.db import transaction

from marketplace.models import Assignment, Bonus, Requester
from marketplace.services.funds import pay_bonus
from marketplace.services.request_tokens import use_token


@transaction.atomic
def send_bonus(
    *,
    requester: Requester,
    assignment: Assignment,
    amount_usd: Decimal,
    reason: str,
    at: datetime,
    token: str | None = None,
) -> Bonus:
    """Whatever was decided of the assignment. Raises InsufficientFunds, TokenAlreadyUsed."""
    bonus = Bonus.objects.create(
        assignment=assignment, amount_usd=amount_usd, reason=reason, granted_at=at
    )
    if token is not None:
        use_token(
            requester=requester,
            operation="SendBonus",
            token=token,
            resource_id=str(bonus.pk),
            at=at,
        )
    pay_bonus(bonus=bonus, requester=requester)
    return bonus
