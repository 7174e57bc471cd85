from typing import Any

import numpy as np
import pytest

from stats.agreement import (
    CERTAIN,
    NO_CHOICE,
    NO_PAIR,
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent_agreement,
)
from stats.choices import WEIGHTS
from stats.ratings import ContingencyTable
from stats.weights import weight_matrix
from tests.stats.comparing import CORRECTED, assert_same

SCALE = (1, 2, 3)


def test_two_raters_worked_out_by_hand() -> None:
    found = gwet_ac(np.array([[1, 1], [1, 2], [2, 2], [1, np.nan]]), categories=(1, 2))

    # Shares of 1: 1, 1/2, 0, 1; so pi = 5/8, and pe = 2 * 5/8 * 3/8.
    assert found.observed == pytest.approx(2 / 3)
    assert found.expected == pytest.approx(15 / 32)
    assert found.value == pytest.approx((2 / 3 - 15 / 32) / (17 / 32))
    assert (found.n_items, found.n_raters, found.n_ratings, found.n_single_rated) == (4, 2, 7, 1)


def test_kappas_of_a_table_of_two_raters_worked_out_by_hand() -> None:
    table = ContingencyTable([[20, 5], [10, 15]])

    # Observed 35/50. Cohen: 1/2 * 3/5 + 1/2 * 2/5; Scott: pi = 11/20; two categories alike: 1/2.
    cohen = conger_kappa(table, categories=["a", "b"])
    scott = fleiss_kappa(table, categories=["a", "b"])
    assert cohen.observed == pytest.approx(0.7)
    assert cohen.value == pytest.approx(0.4)
    assert scott.expected == pytest.approx((11**2 + 9**2) / 400)
    assert brennan_prediger(table, categories=["a", "b"]).value == pytest.approx(0.4)
    assert (cohen.n_items, cohen.n_raters, cohen.n_ratings) == (50, 2, 100)


@pytest.mark.parametrize(
    ("ratings", "categories", "reason"),
    [
        ([[1, None], [None, 2]], (1, 2), NO_PAIR),
        ([[None, None]], (1, 2), NO_PAIR),
        (np.zeros((0, 2)), (1, 2), NO_PAIR),
        ([[1, 1], [1, 1]], (1,), NO_CHOICE),
    ],
)
@pytest.mark.parametrize("name", sorted({*CORRECTED} - {"percent_agreement"}))
def test_an_undefined_coefficient_says_why(
    name: str, ratings: Any, categories: tuple[int, ...], reason: str
) -> None:
    found = CORRECTED[name](ratings, categories=categories)

    assert (found.value, found.se, found.p_value) == (None, None, None)
    assert found.undefined_reason == reason


@pytest.mark.parametrize("coefficient", [fleiss_kappa, conger_kappa])
def test_kappa_says_nothing_of_raters_who_use_one_category(coefficient: Any) -> None:
    found = coefficient([[1, 1], [1, 1], [1, None]], categories=SCALE)

    assert (found.value, found.observed, found.undefined_reason) == (None, 1.0, CERTAIN)


def test_an_unknown_standard_error_is_refused() -> None:
    with pytest.raises(ValueError, match="Known: gwet, delta"):
        gwet_ac([[1, 1], [2, 1]], categories=SCALE, se="other")  # type: ignore[arg-type]


def test_items_with_one_rating_widen_the_published_error_and_it_says_so() -> None:
    ratings: list[Any] = [[1, 1], [2, 2], [1, 2], *[[k, None] for k in (1, 2, 1, 2, 1, 2)]]

    published = gwet_ac(ratings, categories=(1, 2))
    delta = gwet_ac(ratings, categories=(1, 2), se="delta")

    assert published.value == delta.value
    assert published.se is not None and delta.se is not None and published.se > delta.se
    assert "single rating" in published.note
    assert delta.note == ""
    assert gwet_ac(ratings[:3], categories=(1, 2)).note == ""


def test_more_confidence_makes_it_wider() -> None:
    ratings = [[1, 1], [2, 2], [1, 2], [3, 3], [3, 1]]

    usual = gwet_ac(ratings, categories=SCALE)
    surer = gwet_ac(ratings, categories=SCALE, confidence=0.99)

    assert surer.ci_low is not None and usual.ci_low is not None and surer.ci_low < usual.ci_low


@pytest.mark.parametrize("coefficient", CORRECTED.values())
def test_a_matrix_weighs_as_the_name_it_was_made_from(coefficient: Any) -> None:
    ratings = [[1, 1, 2], [2, 2, None], [1, 3, 3], [3, 3, 3]]

    named = coefficient(ratings, categories=SCALE, weights="linear")
    given = coefficient(
        ratings, categories=SCALE, weights=[[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    )

    assert_same(named, given)


def test_codes_weigh_by_their_values() -> None:
    ratings = [[-1, 1], [1, 2], [-2, -2]]

    # Of a span of 4 the first two are 2 apart and the second 1.
    found = percent_agreement(ratings, categories=(-2, -1, 1, 2), weights="quadratic")

    assert found.value == pytest.approx((3 / 4 + 15 / 16 + 1) / 3)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("cubic", "Unknown weights “cubic”"),
        (np.eye(2), r"need \(3, 3\)"),
        (np.full((3, 3), 0.5), "1 on the diagonal"),
        (np.eye(3) * 3 - 2, "1 on the diagonal|outside 0 to 1"),
        (2 - np.eye(3), "outside 0 to 1"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        weight_matrix(weights, SCALE)


def test_ratio_weights_refuse_values_that_cancel() -> None:
    with pytest.raises(ValueError, match="sum is zero"):
        weight_matrix("ratio", (-1, 0, 1))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_run_from_0_to_1(weights: str) -> None:
    matrix = weight_matrix(weights, (1, 2, 4, 8))

    assert np.allclose(matrix, matrix.T)
    assert np.allclose(np.diag(matrix), 1)
    assert matrix.min() == pytest.approx(0, abs=1e-12)
