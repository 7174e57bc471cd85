"""Items that were rated alike, taken together: many items have few ways to be rated.

P patterns, R raters (or as many ratings as one item has at most), Q categories.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from stats.coding import MISSING, Codes
from stats.ratings import Ratings, code_ratings
from stats.tables import Table, Vector, blocks, pairs_of, table_from

# Keys have to be exact as floating-point numbers, which are added up faster.
MOST_KEYS, MOST_SMALL_KEYS = 2**53, 2**24


def are_told_apart(raters: int, q: int) -> bool:
    """Whether a row of so many raters can be written as one number, by which rows are compared."""
    keys: bool = (q + 1) ** raters <= MOST_KEYS
    return keys


@dataclass(frozen=True)
class Patterns:
    """`codes` (P, R): places on the scale of Q categories, or MISSING. `times` (P): how many items
    are rated so. An item without a rating is left out. `raters`: how many there are; each is a
    column, or `givers` (P, R) says whose code it is."""

    codes: Codes
    times: Vector
    q: int
    raters: int
    raters_known: bool
    givers: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, ratings: Ratings, categories: Sequence[Any]) -> "Patterns":
        """Raises BadScale, OutOfScale, NotATable."""
        coded, q = code_ratings(ratings, categories=categories), len(categories)
        if lists := coded.lists:
            once = np.ones(len(coded.codes))
            return cls(coded.codes, once, q, lists.n_raters, True, lists.raters)
        codes, times = _without_empty(*_together(coded.codes, coded.times, q))
        return cls(codes, times, q, codes.shape[1], coded.raters_known)

    @cached_property
    def anonymous(self) -> "Patterns":
        """Without regard to who gave which rating."""
        most = int(self.totals.max(initial=0))
        codes = -np.sort(-self.codes, axis=1)[:, :most]
        codes, times = _together(codes, self.times, self.q)
        return Patterns(codes, times, self.q, self.raters, False)

    @cached_property
    def items(self) -> int:
        return int(self.times.sum())

    @cached_property
    def totals(self) -> Vector:
        """Ratings an item of each pattern has: (P)."""
        totals: Vector = (self.codes != MISSING).sum(axis=1, dtype=float)
        return totals

    @property
    def paired(self) -> Vector:
        """1 for a pattern with two ratings or more, else 0: (P)."""
        return (self.totals >= 2).astype(float)

    @cached_property
    def counts(self) -> Table:
        """Ratings of each category: (P, Q)."""
        rows, columns = np.nonzero(self.codes != MISSING)
        found = self.codes[rows, columns]
        return table_from(np.ones(len(rows)), rows, found, (len(self.codes), self.q))

    def pair_weights(self, weights: Vector) -> Vector:
        """sum_k sum_l w_kl r_k r_l over the ratings of an item, each with itself, too: (P)."""
        if not issparse(self.counts):
            summed: Vector = ((self.counts @ weights) * self.counts).sum(axis=1)
            return summed
        summed = np.zeros(len(self.codes))
        for rows in blocks(len(summed), self.codes.shape[1] ** 2):
            counts = self.counts[rows]
            pairs = pairs_of(counts)
            weighed = pairs.counts * weights[pairs.first, pairs.second]
            summed[rows] = np.bincount(pairs.row, weights=weighed, minlength=counts.shape[0])
        return summed


def _together(codes: Codes, times: Vector | None, q: int) -> tuple[Codes, Vector]:
    """Equal rows as one, where a row can be written as one number; else all as they are."""
    base, width = q + 1, codes.shape[1]
    if not are_told_apart(width, q):
        return codes, np.ones(len(codes)) if times is None else times
    places = base ** np.arange(width)
    keys = _keys(codes, places, np.float32 if base**width < MOST_SMALL_KEYS else np.float64)
    if base**width <= len(keys) + 1024:
        summed = np.bincount(keys, weights=times)
        distinct = np.flatnonzero(summed)
    else:
        distinct, back = np.unique(keys, return_inverse=True)
        summed = np.bincount(back, weights=times)
    rows: Codes = distinct[:, None] // places % base - 1
    return rows, summed[summed > 0].astype(float)


def _keys(codes: Codes, places: Codes, floating: type[np.floating[Any]]) -> NDArray[np.int64]:
    """Each row as one number, whose digits are the codes plus 1."""
    keys = np.empty(len(codes), dtype=np.int64)
    for rows in blocks(*codes.shape):
        keys[rows] = codes[rows].astype(floating) @ places.astype(floating)
    keys += places.sum()
    return keys


def _without_empty(codes: Codes, times: Vector) -> tuple[Codes, Vector]:
    """Without items nobody rated and raters who rated nothing."""
    given = codes != MISSING
    rows, columns = given.any(axis=1), given.any(axis=0)
    return codes[rows][:, columns], times[rows]
