"""What has to be so of every coefficient, whatever the ratings."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import krippendorff_alpha
from stats.choices import LEVELS, WEIGHTS
from tests.stats.comparing import COEFFICIENTS, CORRECTED, Coefficient, assert_same, close_to
from tests.stats.tables import SCALE, tables

BY_LEVEL: dict[str, Coefficient] = {
    f"alpha, {level}": partial(krippendorff_alpha, level=level, resamples=0) for level in LEVELS
}
WEIGHTED: dict[str, Coefficient] = {
    f"{name}, {weights}": partial(coefficient, weights=weights)
    for name, coefficient in COEFFICIENTS.items()
    for weights in WEIGHTS
}
# With other weights a wider scale makes the same two ratings nearer to each other.
UNMOVED: dict[str, Coefficient] = {
    **{name: CORRECTED[name] for name in ("percent_agreement", "fleiss_kappa", "conger_kappa")},
    "krippendorff_alpha": partial(krippendorff_alpha, weights="identity"),
    **BY_LEVEL,
}
# Scaling all distances alike moves no coefficient whose chance depends on the ratings alone.
UNMOVED_QUADRATIC = ("fleiss_kappa", "conger_kappa", "krippendorff_alpha")


@settings(max_examples=60)
@given(
    tables,
    st.sampled_from(sorted({**WEIGHTED, **BY_LEVEL})),
    st.sampled_from(["gwet", "delta"]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_items_and_raters_does_not_matter(
    ratings: Any, name: str, se: str, random: Any
) -> None:
    coefficient = partial({**WEIGHTED, **BY_LEVEL}[name], categories=SCALE, se=se)
    items, raters = list(range(ratings.shape[0])), list(range(ratings.shape[1]))
    random.shuffle(items)
    random.shuffle(raters)

    assert_same(coefficient(ratings[items][:, raters]), coefficient(ratings))


@settings(max_examples=60)
@given(tables, st.sampled_from(sorted(set(WEIGHTED))))
def test_every_item_twice_leaves_the_value(ratings: Any, name: str) -> None:
    coefficient = partial(WEIGHTED[name], categories=SCALE)
    once, twice = coefficient(ratings), coefficient(np.vstack([ratings, ratings]))

    assert twice.n_ratings == 2 * once.n_ratings
    if not name.startswith("krippendorff"):
        assert once.value == close_to(twice.value)
        return
    # Alpha counts what chance pairs with itself, which there is less of among more ratings.
    assert (once.value is None) == (twice.value is None)
    if once.value is not None and twice.value is not None:
        single = coefficient(ratings[(~np.isnan(ratings)).sum(axis=1) > 1])
        n = single.n_ratings
        assert 1 - twice.value == close_to((1 - once.value) * (2 * n - 1) / (2 * n - 2))


@settings(max_examples=40)
@given(tables, st.sampled_from(sorted(UNMOVED)))
def test_a_category_nobody_chose_moves_nothing(ratings: Any, name: str) -> None:
    narrow = UNMOVED[name](ratings, categories=SCALE)
    wide = UNMOVED[name](ratings, categories=(*SCALE, 7))

    # The interval level states agreement as shares of the widest distance there is.
    assert_same(narrow, wide, but=("observed", "expected"))


@settings(max_examples=20)
@given(tables, st.sampled_from(UNMOVED_QUADRATIC))
def test_a_category_nobody_chose_moves_no_quadratic_kappa(ratings: Any, name: str) -> None:
    coefficient = partial(COEFFICIENTS[name], weights="quadratic")
    narrow = coefficient(ratings, categories=SCALE)
    wide = coefficient(ratings, categories=(*SCALE, 7))

    assert_same(narrow, wide, but=("observed", "expected"))


@pytest.mark.parametrize("name", ["gwet_ac", "brennan_prediger"])
def test_a_category_nobody_chose_makes_chance_rarer_where_it_counts_categories(name: str) -> None:
    ratings = [[1, 1], [2, 2], [1, 2], [3, 3]]

    narrow = COEFFICIENTS[name](ratings, categories=SCALE)
    wide = COEFFICIENTS[name](ratings, categories=(*SCALE, 4))

    assert narrow.value is not None and wide.value is not None and wide.value > narrow.value


@pytest.mark.parametrize("name", sorted(WEIGHTED))
def test_full_agreement_is_1(name: str) -> None:
    found = WEIGHTED[name]([[k, k, k] for k in (1, 2, 3, 3)], categories=SCALE)

    assert found.value == pytest.approx(1)
    assert (found.se, found.p_value) == (0, None)
