import pytest

from stats.intervals import wilson_interval


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        # z = 1.959964; the first two as in Newcombe (1998), table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_published_intervals_come_out(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(hits, trials) == pytest.approx((low, high), abs=5e-5)


def test_nothing_tried_leaves_everything_open() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_more_confidence_makes_it_wider() -> None:
    low, high = wilson_interval(3, 10)
    wider_low, wider_high = wilson_interval(3, 10, confidence=0.99)

    assert wider_low < low < high < wider_high


@pytest.mark.parametrize(("hits", "trials"), [(2, 1), (-1, 3)])
def test_what_is_no_share_is_refused(hits: int, trials: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson_interval(hits, trials)
