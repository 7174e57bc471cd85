from datetime import timedelta
from decimal import Decimal

import pytest

from studies.durations import DurationError, format_duration, parse_duration, say_duration
from studies.services.estimates import estimate_cost, hourly_pay, suggest_reward


def test_a_round_costs_reward_times_overlap_times_tasks_and_the_fee() -> None:
    estimate = estimate_cost(
        tasks=24,
        overlap=3,
        reward_usd=Decimal("0.35"),
        fee_share=Decimal("0.20"),
        median_time=timedelta(seconds=126),
    )

    assert estimate.slots == 72
    assert estimate.rewards_usd == Decimal("25.20")
    assert estimate.fee_usd == Decimal("5.04")
    assert estimate.total_usd == Decimal("30.24")
    assert estimate.hourly_usd == Decimal("10.00")


def test_hourly_pay_is_not_known_without_a_time() -> None:
    assert hourly_pay(Decimal("0.35"), None) is None
    assert hourly_pay(Decimal("0.35"), timedelta(0)) is None


def test_the_suggested_reward_reaches_the_target_and_is_whole_cents() -> None:
    reward = suggest_reward(median_time=timedelta(seconds=100), target_hourly_usd=Decimal("15.00"))

    assert reward == Decimal("0.42")
    pay = hourly_pay(reward, timedelta(seconds=100))
    assert pay is not None and pay >= 15


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("45s", 45), ("30m", 1800), ("1h30m", 5400), ("7d", 604800), (" 2H ", 7200), ("1d 1s", 86401)],
)
def test_durations_read_as_people_write_them(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)
    assert parse_duration(format_duration(timedelta(seconds=seconds))).total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "30", "m", "1.5h", "30m!", "-5m", "5 minutes", "９m"])
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(DurationError, match="Write for example"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (330, "5 min 30 s"),
        (1800, "30 min"),
        (5400, "1 h 30 min"),
        (86401, "1 day 1 s"),
        (604800, "7 days"),
    ],
)
def test_durations_are_said_in_words_and_units(seconds: int, words: str) -> None:
    assert say_duration(timedelta(seconds=seconds)) == words
