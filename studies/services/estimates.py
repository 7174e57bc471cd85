"""What a round costs and what it pays: pure arithmetic on plain values."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal

from studies.services.fees import CENT, fee_usd


@dataclass(frozen=True)
class Estimate:
    """Cost of a round in US dollars: reward x overlap x tasks, and on each the fee."""

    tasks: int
    slots: int
    rewards_usd: Decimal
    fee_usd: Decimal
    total_usd: Decimal
    hourly_usd: Decimal | None


def estimate_cost(
    *,
    tasks: int,
    overlap: int,
    reward_usd: Decimal,
    fee_share: Decimal,
    median_time: timedelta | None = None,
) -> Estimate:
    slots = tasks * overlap
    rewards = (reward_usd * slots).quantize(CENT)
    fee = fee_usd(reward_usd, fee_share) * slots
    return Estimate(
        tasks=tasks,
        slots=slots,
        rewards_usd=rewards,
        fee_usd=fee,
        total_usd=rewards + fee,
        hourly_usd=hourly_pay(reward_usd, median_time),
    )


def hourly_pay(reward_usd: Decimal, median_time: timedelta | None) -> Decimal | None:
    """US dollars an hour at this pace; None while no time is known."""
    if median_time is None or median_time <= timedelta(0):
        return None
    hours = Decimal(str(median_time.total_seconds())) / 3600
    return (reward_usd / hours).quantize(CENT, ROUND_HALF_UP)


def suggest_reward(*, median_time: timedelta, target_hourly_usd: Decimal) -> Decimal:
    """The reward that pays `target_hourly_usd` at the median pace, rounded up to a whole cent."""
    hours = Decimal(str(median_time.total_seconds())) / 3600
    return (target_hourly_usd * hours).quantize(CENT, ROUND_UP)
