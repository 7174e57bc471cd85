"""Ratings as they are collected, one a row, made a table of items by raters."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stats.patterns import are_told_apart
from stats.ratings import OutOfScale, RatingLists, are_numbers, check_scale

# Of a table that is made: a coefficient takes up to 60 bytes for each.
MOST_CELLS = 4_000_000


class RatedTwice(ValueError):
    """Two ratings of one item by one rater."""


class TooManyCells(ValueError):
    """More items, with more ratings of one of them, than there is memory for."""


@dataclass(frozen=True)
class RatingTable:
    """`ratings` of the items by the raters, with the names of both in the order in which they first
    came: an array (n_items, n_raters), or lists where raters are many."""

    items: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    ratings: NDArray[Any] | RatingLists


def table_of(
    rows: Iterable[tuple[Hashable, Hashable, Any]], *, categories: Sequence[Any]
) -> RatingTable:
    """From rows of item, rater, value.

    Raises RatedTwice, OutOfScale, BadScale, and TooManyCells before it takes the memory.
    """
    check_scale(categories)
    scale = set(categories)
    items: dict[Hashable, int] = {}
    raters: dict[Hashable, int] = {}
    values: dict[tuple[int, int], Any] = {}
    for item, rater, value in rows:
        place = items.setdefault(item, len(items)), raters.setdefault(rater, len(raters))
        if place in values:
            raise RatedTwice(f"Rater {rater} rated item {item} twice.")
        if value not in scale:
            known = ", ".join(map(str, categories))
            raise OutOfScale(f"{value!r} (item {item}, rater {rater}) is not on the scale {known}.")
        values[place] = value
    if are_told_apart(len(raters), len(categories)):
        ratings = _empty(len(items), len(raters), categories)
        for place, value in values.items():
            ratings[place] = value
        return RatingTable(tuple(items), tuple(raters), ratings)
    lists = _lists(values, len(items), len(raters), categories)
    return RatingTable(tuple(items), tuple(raters), lists)


def _lists(
    values: dict[tuple[int, int], Any], items: int, raters: int, categories: Sequence[Any]
) -> RatingLists:
    found = np.bincount([item for item, _rater in values], minlength=items)
    ratings = _empty(items, int(found.max()), categories)
    givers = np.zeros(ratings.shape, dtype=np.int64)
    for (item, rater), value in reversed(values.items()):
        found[item] -= 1
        ratings[item, found[item]] = value
        givers[item, found[item]] = rater
    return RatingLists(ratings, givers, raters)


def _empty(items: int, width: int, categories: Sequence[Any]) -> NDArray[Any]:
    if items * width > MOST_CELLS:
        raise TooManyCells(
            f"These are too many ratings at once: {items:,} items, and up to {width:,} raters of "
            f"each. Items times raters may be {MOST_CELLS:,}."
        )
    if are_numbers(categories):
        return np.full((items, width), np.nan)
    return np.full((items, width), None, dtype=object)
