from typing import Any

import numpy as np
import pytest

from stats.correlation import CONSTANT, TOO_FEW, pearson, spearman


def test_pearson_worked_out_by_hand() -> None:
    found = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])

    # Of sums of squares 10 and 10 and of products 8; t = 0.8 sqrt(3 / 0.36), 3 degrees of freedom.
    assert found.value == pytest.approx(0.8)
    assert found.p_value == pytest.approx(0.10408804, abs=1e-8)
    # artanh 0.8 = 1.098612, give and take 1.959964 / sqrt(2).
    assert found.ci_low == pytest.approx(np.tanh(1.098612 - 1.385904), abs=1e-6)
    assert found.ci_high == pytest.approx(np.tanh(1.098612 + 1.385904), abs=1e-6)
    assert found.n == 5


def test_spearman_goes_by_ranks() -> None:
    found = spearman([1, 2, 3, 4, 5], [20, 1, 400, 300, 50_000])
    ranks = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])

    assert found.value == pytest.approx(0.8)
    assert found.p_value == pytest.approx(ranks.p_value)
    assert found.ci_low is not None and ranks.ci_low is not None and found.ci_low < ranks.ci_low


def test_equal_values_share_their_mean_rank() -> None:
    found = spearman([1, 1, 2, 3], [1, 2, 2, 3])

    # Ranks 1.5, 1.5, 3, 4 and 1, 2.5, 2.5, 4.
    assert found.value == pytest.approx(pearson([1.5, 1.5, 3, 4], [1, 2.5, 2.5, 4]).value)


@pytest.mark.parametrize("correlation", [pearson, spearman])
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], CONSTANT),
        ([1, 2, 3, 4], [0.1, 0.1, 0.1, 0.1], CONSTANT),
        ([1, 2], [1, 2], TOO_FEW),
        ([], [], TOO_FEW),
    ],
)
def test_an_undefined_one_says_why(correlation: Any, x: Any, y: Any, reason: str) -> None:
    found = correlation(x, y)

    assert (found.value, found.p_value, found.ci_low) == (None, None, None)
    assert (found.undefined_reason, found.n) == (reason, len(x))


@pytest.mark.parametrize("correlation", [pearson, spearman])
@pytest.mark.parametrize("n", [3, 4, 9])
def test_a_straight_line_is_1_and_how_likely_that_was_is_not_known(
    correlation: Any, n: int
) -> None:
    """Of three pairs every third order is one or the other."""
    found = correlation(range(n), [-0.1 * k for k in range(n)])

    assert found.value == pytest.approx(-1)
    assert (found.p_value, found.ci_low, found.ci_high) == (None, None, None)


def test_three_pairs_have_no_interval() -> None:
    found = pearson([1, 2, 3], [1, 3, 2])

    assert found.value == pytest.approx(0.5)
    assert (found.ci_low, found.ci_high) == (None, None)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1, 2, 3], [1, 2], "3 numbers cannot be paired with 2"),
        ([1, np.nan, 3], [1, 2, 3], "A number is missing"),
        ([[1, 2, 3]], [1, 2, 3], "2 axes"),
    ],
)
def test_what_cannot_be_paired_is_refused(x: Any, y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pearson(x, y)
