import tracemalloc
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats import levels
from stats.agreement import CERTAIN, NO_CHOICE, NO_PAIR, krippendorff_alpha
from stats.choices import LEVELS
from stats.levels import alpha_at, fits_library, library_alpha
from stats.patterns import Patterns
from stats.ratings import BadScale
from tests.stats.comparing import close_to
from tests.stats.tables import SCALE, tables


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.691358), ("interval", 0.810845)])
def test_a_published_table_comes_out(level: Any, value: float) -> None:
    """The example of three raters and 15 units in the documentation of the library."""
    _ = None
    raters = [
        [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
        [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
        [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
    ]

    found = krippendorff_alpha(
        [list(row) for row in zip(*raters, strict=True)],
        categories=(1, 2, 3, 4),
        level=level,
        resamples=0,
    )

    assert found.value == pytest.approx(value, abs=5e-7)
    assert (found.n_items, found.n_ratings, found.n_single_rated) == (13, 27, 1)


@settings(max_examples=40)
@given(tables, st.sampled_from(LEVELS))
def test_with_and_without_the_library_it_is_the_same(ratings: Any, level: Any) -> None:
    patterns = Patterns.of(ratings, SCALE)
    without = krippendorff_alpha_without_library(ratings, level)

    if without is not None:
        assert library_alpha(level, patterns, SCALE) == close_to(without)
        given_by_us = krippendorff_alpha(ratings, categories=SCALE, level=level, resamples=0)
        assert given_by_us.value == close_to(without)


def krippendorff_alpha_without_library(ratings: Any, level: Any) -> float | None:
    statistic = alpha_at(level, Patterns.of(ratings, SCALE), SCALE)
    sums = statistic.patterns.times @ statistic.features
    value = statistic.parts(sums[None], np.array([len(ratings)])).values[0]
    return None if np.isnan(value) else float(value)


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_many_items_of_many_categories_take_little_memory(
    level: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    categories = list(range(1, 101))
    ratings = np.random.default_rng(7).integers(1, 101, (100_000, 3)).astype(float)
    few = ratings[:100]
    patterns = Patterns.of(few, categories)
    assert fits_library(patterns) and not fits_library(Patterns.of(ratings, categories))

    tracemalloc.start()
    found = krippendorff_alpha(ratings, categories=categories, level=level, resamples=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found.value == pytest.approx(0, abs=0.01)
    assert peak < 100 * 10**6
    by_library = krippendorff_alpha(few, categories=categories, level=level, resamples=0)
    monkeypatch.setattr(levels, "MOST_LIBRARY_BYTES", 0)
    summed = krippendorff_alpha(few, categories=categories, level=level, resamples=0)
    assert summed.value == close_to(by_library.value)


def test_small_tables_go_to_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def alpha(**given: Any) -> float:
        seen.append(given)
        return 0.25

    monkeypatch.setattr(krippendorff, "alpha", alpha)

    found = krippendorff_alpha(
        [[1, 1], [2, 3]], categories=("?", 1, 2, 3), level="ordinal", resamples=0
    )

    assert found.value == 0.25
    assert seen[0]["level_of_measurement"] == "ordinal"
    assert sorted(seen[0]["value_counts"].tolist()) == [[0, 0, 1, 1], [0, 2, 0, 0]]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("ratings", "categories", "reason"),
    [
        ([[1, 1], [1, 1]], (1, 2), CERTAIN),
        ([[1, 1], [2, None]], (1, 2), CERTAIN),
        ([[1, None], [None, 2]], (1, 2), NO_PAIR),
        ([[1, 1]], (1,), NO_CHOICE),
    ],
)
def test_without_anything_to_disagree_about_it_says_why(
    level: Any, ratings: Any, categories: Any, reason: str
) -> None:
    found = krippendorff_alpha(ratings, categories=categories, level=level)

    assert (found.value, found.se, found.p_value) == (None, None, None)
    assert found.undefined_reason == reason


def test_the_ordinal_metric_is_not_gwets_ordinal_weights() -> None:
    ratings = [[1, 2], [2, 2], [3, 3], [1, 1], [2, 3]]

    metric = krippendorff_alpha(ratings, categories=SCALE, level="ordinal", resamples=0)
    weights = krippendorff_alpha(ratings, categories=SCALE, weights="ordinal")

    assert metric.value is not None and weights.value is not None
    assert abs(metric.value - weights.value) > 0.01


@pytest.mark.parametrize(("level", "weights"), [("nominal", "identity"), ("interval", "quadratic")])
def test_other_levels_are_weights(level: Any, weights: str) -> None:
    ratings = [[1, 2], [2, 2], [3, 3], [1, 1], [2, 3]]

    by_level = krippendorff_alpha(ratings, categories=SCALE, level=level, resamples=0)
    weighted = krippendorff_alpha(ratings, categories=SCALE, weights=weights)

    assert by_level.value == close_to(weighted.value)
    assert by_level.expected == close_to(weighted.expected)


@pytest.mark.parametrize("how", [{}, {"level": "nominal", "weights": "identity"}])
def test_the_level_is_said_or_the_weights(how: Any) -> None:
    with pytest.raises(ValueError, match="either a level of measurement or weights"):
        krippendorff_alpha([[1, 1]], categories=SCALE, **how)


@pytest.mark.parametrize(
    ("level", "categories", "error", "words"),
    [
        ("cardinal", (1, 2), ValueError, "Known: nominal, ordinal, interval, ratio"),
        ("interval", ("a", "b"), BadScale, "needs categories that are numbers"),
        ("ratio", (-1, 1), BadScale, "sum is zero"),
    ],
)
def test_a_level_that_the_scale_does_not_have_is_refused(
    level: Any, categories: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        krippendorff_alpha([[None, None]], categories=categories, level=level)


def test_words_have_the_order_of_the_scale() -> None:
    ratings = [["good", "fair"], ["bad", "bad"], ["good", "good"], ["bad", "good"]]

    ordered = krippendorff_alpha(
        ratings, categories=("bad", "fair", "good"), level="ordinal", resamples=0
    )
    other = krippendorff_alpha(
        ratings, categories=("bad", "good", "fair"), level="ordinal", resamples=0
    )

    assert ordered.value != other.value
