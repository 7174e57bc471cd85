"""Ratings as they are collected, one a row, made a table of items by raters."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stats.ratings import OutOfScale, are_numbers, check_scale


class RatedTwice(ValueError):
    """Two ratings of one item by one rater."""


@dataclass(frozen=True)
class RatingTable:
    """`ratings` (n_items, n_raters), a missing one NaN or None, with the names of its rows and
    columns in the order in which they first came."""

    items: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    ratings: NDArray[Any]


def table_of(
    rows: Iterable[tuple[Hashable, Hashable, Any]], *, categories: Sequence[Any]
) -> RatingTable:
    """From rows of item, rater, value. Raises RatedTwice, OutOfScale, BadScale."""
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
    shape = len(items), len(raters)
    numeric = are_numbers(categories)
    ratings = np.full(shape, np.nan) if numeric else np.full(shape, None, dtype=object)
    for place, value in values.items():
        ratings[place] = value
    return RatingTable(tuple(items), tuple(raters), ratings)
