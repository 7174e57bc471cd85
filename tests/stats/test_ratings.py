import tracemalloc
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from stats.agreement import conger_kappa, gwet_ac
from stats.bootstrap import bootstrap
from stats.choices import COEFFICIENT_NAMES, STANDARD_ERRORS
from stats.long import RatedTwice, TooManyCells, table_of
from stats.ratings import (
    BadScale,
    ContingencyTable,
    CountTable,
    NotATable,
    OutOfScale,
    RatersUnknown,
    RatingLists,
)
from stats.results import NO_PAIR
from tests.stats.comparing import COEFFICIENTS, CORRECTED, assert_same

SCALE = (1, 2, 3)
RATINGS: list[list[Any]] = [
    [1, 1, 2],
    [2, 2, None],
    [1, 3, 3],
    [3, 3, 3],
    [2, None, None],
    [None, None, None],
]


@pytest.mark.parametrize("coefficient", CORRECTED.values())
@pytest.mark.parametrize(
    ("ratings", "categories"),
    [
        (np.array(RATINGS, dtype=float), SCALE),
        (np.array(RATINGS, dtype=object), SCALE),
        (np.array(RATINGS, dtype=float) / 2, (0.5, 1, 1.5)),
        (np.array(RATINGS, dtype=float) * 10_000, (10_000, 20_000, 30_000)),
        ([["?abc"[k] if k else None for k in row] for row in RATINGS], ("a", "b", "c")),
    ],
)
def test_ratings_may_come_as_numbers_or_words(
    coefficient: Any, ratings: Any, categories: Any
) -> None:
    plain = coefficient(RATINGS, categories=SCALE)

    assert_same(coefficient(ratings, categories=categories), plain)


@pytest.mark.parametrize("name", sorted({*COEFFICIENTS} - {"conger_kappa"}))
def test_counts_say_as_much_as_ratings(name: str) -> None:
    coefficient = partial(COEFFICIENTS[name], categories=SCALE, weights="quadratic")
    counts = [[row.count(k) for k in SCALE] for row in RATINGS]

    assert_same(coefficient(CountTable(counts)), coefficient(RATINGS))


def test_counts_do_not_say_who_rated() -> None:
    with pytest.raises(RatersUnknown, match="who rated what"):
        conger_kappa(CountTable([[2, 0], [1, 1]]), categories=(1, 2))


@pytest.mark.parametrize("coefficient", CORRECTED.values())
def test_a_table_of_two_raters_says_as_much_as_their_ratings(coefficient: Any) -> None:
    pairs = [[1, 1]] * 4 + [[1, 2]] * 2 + [[3, 1]] + [[2, 2]] * 3
    table = ContingencyTable([[4, 2, 0], [0, 3, 0], [1, 0, 0]])

    assert_same(coefficient(table, categories=SCALE), coefficient(pairs, categories=SCALE))


@pytest.mark.parametrize("coefficient", CORRECTED.values())
def test_many_raters_with_few_ratings_each_count_as_few_raters_do(coefficient: Any) -> None:
    """A row of so many raters can no longer be told by one number."""
    wide = np.full((len(RATINGS), 60), np.nan)
    wide[:, [3, 30, 50]] = np.array(RATINGS, dtype=float)

    found = coefficient(wide, categories=SCALE)

    assert_same(found, coefficient(RATINGS, categories=SCALE))
    assert found.n_raters == 3


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        ([[1, 1], [4, 1]], r"4 \(item 1, rater 0\) is not on the scale 1, 2, 3"),
        (np.array([[1, 1], [1, 4.0]]), r"4.0 \(item 1, rater 1\)"),
        (np.array([[1, 1], [1, 1.5]]), r"1.5 \(item 1, rater 1\)"),
        (np.array([[1, -np.inf], [1, 1]]), r"-inf \(item 0, rater 1\)"),
        ([[1, "a"]], r"'a' \(item 0, rater 1\)"),
        (np.array([["1", "2"]]), r"'1' \(item 0, rater 0\)"),
    ],
)
def test_a_rating_outside_the_scale_is_named(ratings: Any, words: str) -> None:
    with pytest.raises(OutOfScale, match=words):
        gwet_ac(ratings, categories=SCALE)


def test_a_number_is_not_on_a_scale_of_words() -> None:
    with pytest.raises(OutOfScale, match=r"1.0 \(item 0, rater 0\)"):
        gwet_ac(np.array([[1.0, 2.0]]), categories=("a", "b"))


def test_a_number_between_those_of_a_scale_is_not_on_it() -> None:
    with pytest.raises(OutOfScale, match=r"0.7 \(item 0, rater 1\)"):
        gwet_ac(np.array([[0.5, 0.7]]), categories=(0.5, 1.5))


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        ((), "at least one"),
        ((1, 2, 1), "names a category twice"),
        ({1, 2}, "their order counts"),
        ("12", "their order counts"),
    ],
)
def test_a_scale_that_is_none_is_refused(categories: Any, words: str) -> None:
    with pytest.raises(BadScale, match=words):
        gwet_ac([[1, 1]], categories=categories)


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        (np.array([1, 2]), "1 dimensions"),
        (CountTable([1, 2]), "this has 1"),
        (CountTable([[1, 2]]), "of 2 categories; the scale has 3"),
        (CountTable([[1, 2, -1]]), "no whole number"),
        (CountTable([[1, 2, 0.5]]), "no whole number"),
        (CountTable([[1, 2, np.nan]]), "no whole number"),
        (ContingencyTable([[1, 2], [0, 1]]), r"need \(3, 3\)"),
    ],
)
def test_what_is_no_table_is_refused(ratings: Any, words: str) -> None:
    with pytest.raises(NotATable, match=words):
        gwet_ac(ratings, categories=SCALE)


def test_rows_become_a_table() -> None:
    rows = [("story 1", "ann", 1), ("story 2", "ben", 3), ("story 1", "ben", 2)]

    table = table_of(rows, categories=SCALE)

    assert (table.items, table.raters) == (("story 1", "story 2"), ("ann", "ben"))
    assert isinstance(table.ratings, np.ndarray)
    assert np.array_equal(table.ratings, np.array([[1, 2], [np.nan, 3]]), equal_nan=True)
    words = table_of([("s", "r", "b")], categories=["a", "b"]).ratings
    assert isinstance(words, np.ndarray) and words.tolist() == [["b"]]


@pytest.mark.parametrize("name", COEFFICIENT_NAMES)
@pytest.mark.parametrize("scale", [SCALE, ("a", "b", "c")])
def test_rows_of_many_raters_say_exactly_what_their_table_says(name: str, scale: Any) -> None:
    """Of so many raters only who rated what is kept."""
    draw = Random(7)
    raters = [draw.sample(range(80), draw.randint(1, 4)) for _item in range(120)]
    rows = [(n, who, draw.choice(scale)) for n, found in enumerate(raters) for who in found]
    table = table_of(rows, categories=scale)
    dense = np.full((120, 80), None, dtype=object)
    for item, who, value in rows:
        dense[item, table.raters.index(who)] = value
    lists = table.ratings

    assert isinstance(lists, RatingLists) and lists.ratings.shape == (120, 4)
    for se in STANDARD_ERRORS:
        coefficient = partial(COEFFICIENTS[name], categories=scale, weights="linear", se=se)
        assert coefficient(lists) == coefficient(dense)
    drawn = partial(bootstrap, name, categories=scale, resamples=50, seed=3)
    assert drawn(lists) == drawn(dense)


def test_rows_without_much_in_them_need_little_memory() -> None:
    """A table of all items by all raters would take gigabytes."""
    rows = [(number, number, number % 2) for number in range(30_000)]

    tracemalloc.start()
    table = table_of(rows, categories=(0, 1))
    found = conger_kappa(table.ratings, categories=(0, 1))
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (found.n_items, found.n_raters, found.undefined_reason) == (30_000, 30_000, NO_PAIR)
    assert most < 50 * 2**20


def test_a_table_that_would_not_fit_is_refused_before_it_is_made() -> None:
    """One item that all rated, and many with one rating."""
    star = [("all", number, 1) for number in range(30_000)]

    tracemalloc.start()
    with pytest.raises(TooManyCells, match="30,000 items, and up to 30,000 raters of each"):
        table_of([*star, *((n, n, 1) for n in range(29_999))], categories=SCALE)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 50 * 2**20


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        (("s", "ann", 2), RatedTwice, "Rater ann rated item s twice"),
        (("s", "ben", 4), OutOfScale, r"4 \(item s, rater ben\) is not on the scale 1, 2, 3"),
    ],
)
def test_rows_that_cannot_be_are_named(row: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        table_of([("s", "ann", 1), row], categories=SCALE)
