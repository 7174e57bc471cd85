from functools import partial
from typing import Any

import numpy as np
import pytest

from stats.agreement import conger_kappa, gwet_ac
from stats.long import RatedTwice, table_of
from stats.ratings import (
    BadScale,
    ContingencyTable,
    CountTable,
    NotATable,
    OutOfScale,
    RatersUnknown,
)
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
    assert np.array_equal(table.ratings, np.array([[1, 2], [np.nan, 3]]), equal_nan=True)
    assert table_of([("s", "r", "b")], categories=["a", "b"]).ratings.tolist() == [["b"]]


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
