"""What the marketplace charges on top of each reward; it rounds every one by itself."""

from decimal import ROUND_HALF_UP, Decimal

from django.conf import settings
from django.db.models import Case, F, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Greatest, Round

CENT = Decimal("0.01")


def fee_usd(reward_usd: Decimal, share: Decimal) -> Decimal:
    """The share of one reward in whole cents, at least one when there is anything to share."""
    if share == 0 or reward_usd == 0:
        return Decimal("0.00")
    return max((reward_usd * share).quantize(CENT, ROUND_HALF_UP), CENT)


def cost_usd(reward_usd: Decimal) -> Decimal:
    """What one response costs when it is approved: the reward and the fee on it."""
    return reward_usd + fee_usd(reward_usd, fee_share())


def cost_in_database(reward: str) -> Combinable:
    """`cost_usd` of the field of that name."""
    if not fee_share():
        return F(reward)
    fee = Greatest(Round(F(reward) * Value(fee_share()), precision=2), Value(CENT))
    return F(reward) + Case(When(**{f"{reward}__gt": 0}, then=fee), default=Value(Decimal(0)))


def fee_share() -> Decimal:
    return Decimal(settings.MARKETPLACE_FEE)
