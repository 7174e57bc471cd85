from datetime import timedelta
from decimal import Decimal

import pytest

from marketplace.site.words import hourly_usd, length_words, typical_words, usd


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (45, "45 seconds"),
        (60, "1 minute"),
        (140, "2 min 20 s"),
        (1800, "30 minutes"),
        (3600, "1 hour"),
        (5430, "1 h 30 min"),
        (86400 * 3, "3 days"),
        (86400 + 7200, "1 d 2 h"),
    ],
)
def test_lengths_of_time_read_naturally(seconds: int, words: str) -> None:
    assert length_words(timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2, "5 seconds"), (127, "2 min 5 s"), (128, "2 min 10 s"), (1279, "21 minutes")],
)
def test_a_median_is_rounded_as_far_as_it_deserves(seconds: float, words: str) -> None:
    assert typical_words(timedelta(seconds=seconds)) == words


def test_pay_an_hour_follows_from_reward_and_time() -> None:
    assert hourly_usd(Decimal("0.35"), timedelta(minutes=2)) == Decimal("10.50")
    assert hourly_usd(Decimal("0.35"), timedelta(0)) == Decimal("1260.00")


def test_sums_have_currency_and_separators() -> None:
    assert usd(Decimal("0.5")) == "$0.50"
    assert usd(Decimal("12345.6")) == "$12,345.60"
    assert usd(Decimal("-3")) == "−$3.00"
