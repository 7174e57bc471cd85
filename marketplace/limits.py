"""What is fixed here, and what a deployment may set."""

from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.conf import settings

# HITs of different groups that a worker may hold at once.
HELD_AT_ONCE: int = getattr(settings, "MARKETPLACE_HELD_AT_ONCE", 10)
# Hosts on a private network (or this machine) to which notifications may be sent.
PRIVATE_NOTIFICATION_HOSTS: frozenset[str] = frozenset(
    getattr(settings, "MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS", [])
)
# How long it can be looked up what was told to whom.
NOTIFICATIONS_KEPT = timedelta(days=getattr(settings, "MARKETPLACE_NOTIFICATION_DAYS", 30))
NOTIFICATIONS_GIVEN_UP_AFTER = timedelta(hours=24)
REQUEST_TOKENS_LAPSE_AFTER = timedelta(hours=24)
REJECTION_OVERRIDE_WITHIN = timedelta(days=30)

# What the balance's column can hold.
MOST_USD = Decimal("999999999999.99")
CENT = Decimal("0.01")


def fee_usd(reward_usd: Decimal) -> Decimal:
    """The marketplace's charge on one reward: a share of it, at least a cent when anything."""
    share = Decimal(settings.MARKETPLACE_FEE)
    if share == 0 or reward_usd == 0:
        return Decimal("0.00")
    return max((reward_usd * share).quantize(CENT, ROUND_HALF_UP), CENT)
