"""How often raters would agree by chance: what tells the coefficients apart.

Each rule works on sums over items, so that a resample of the items is a matter of other sums. The
formulas are Gwet's (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5.

B resamples of n items, P patterns, F features of a pattern, Q categories, R raters,
weights w (Q, Q).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stats.coding import MISSING
from stats.patterns import Patterns
from stats.ratings import RatersUnknown
from stats.tables import Table, Vector, rows_times, table_from
from stats.weights import Matrix


class Chance(Protocol):
    """`needs_raters`: the rule tells raters apart. `needs_choice`: with a single category on the
    scale it says nothing."""

    needs_raters: bool
    needs_choice: bool

    def features(self, patterns: Patterns) -> Table:
        """What an item of each pattern adds to the sums: (P, F)."""

    def expected(self, sums: Vector, n: Vector) -> Vector:
        """The agreement by chance pe, of sums (B, F) over n (B) items: (B)."""

    def by_item(self, features: Table, sums: Vector, n: float) -> Vector:
        """The term pe_i of each pattern, of the sums (F) over all n items: (P). Their mean is pe,
        and half of what an item moves pe by is pe_i - pe."""


@dataclass(frozen=True)
class _Fixed:
    """The ratings found do not matter."""

    weights: Matrix
    needs_raters = False

    @property
    def fixed(self) -> float:
        raise NotImplementedError

    def features(self, patterns: Patterns) -> Table:
        return np.zeros((len(patterns.codes), 0))

    def expected(self, sums: Vector, n: Vector) -> Vector:
        return np.full(len(sums), self.fixed)

    def by_item(self, features: Table, sums: Vector, n: float) -> Vector:
        return np.full(features.shape[0], self.fixed)


class NoChance(_Fixed):
    """Percent agreement: nothing is put down to chance."""

    needs_choice = False
    fixed = 0.0


class Uniform(_Fixed):
    """Brennan and Prediger (1981): every category alike. pe = sum_kl w_kl / Q^2."""

    needs_choice = True

    @property
    def fixed(self) -> float:
        return float(self.weights.mean())


@dataclass(frozen=True)
class _Shares:
    """Sums are of r_ik / r_i, so that pi = sums / n."""

    weights: Matrix
    needs_raters = False
    needs_choice = True

    def features(self, patterns: Patterns) -> Table:
        return rows_times(patterns.counts, 1 / patterns.totals)


class Gwet(_Shares):
    """Gwet (2008): pe = T / (Q(Q-1)) sum_k pi_k (1 - pi_k), with T the sum of all weights."""

    @property
    def scale(self) -> float:
        q = len(self.weights)
        return float(self.weights.sum()) / max(1, q * (q - 1))

    def expected(self, sums: Vector, n: Vector) -> Vector:
        pi = sums / n[:, None]
        expected: Vector = self.scale * (pi * (1 - pi)).sum(axis=1)
        return expected

    def by_item(self, features: Table, sums: Vector, n: float) -> Vector:
        moved: Vector = self.scale * (features @ (1 - sums / n))
        return moved


class Fleiss(_Shares):
    """Fleiss (1971), for two raters Scott (1955): pe = sum_kl w_kl pi_k pi_l."""

    def expected(self, sums: Vector, n: Vector) -> Vector:
        pi = sums / n[:, None]
        expected: Vector = ((pi @ self.weights) * pi).sum(axis=1)
        return expected

    def by_item(self, features: Table, sums: Vector, n: float) -> Vector:
        moved: Vector = features @ (self.weights @ (sums / n))
        return moved


@dataclass(frozen=True)
class Conger:
    """Conger (1980), for two raters Cohen (1960): the mean over pairs of raters g, h of
    sum_kl w_kl p_gk p_hl, with p_gk the share of category k among the ratings of g."""

    weights: Matrix
    needs_raters = True
    needs_choice = True

    def features(self, patterns: Patterns) -> Table:
        if not patterns.raters_known:
            raise RatersUnknown("Conger's kappa needs to know who rated what; counts do not say.")
        rows, places = np.nonzero(patterns.codes != MISSING)
        raters = places if patterns.givers is None else patterns.givers[rows, places]
        columns = raters * patterns.q + patterns.codes[rows, places]
        shape = (len(patterns.codes), patterns.raters * patterns.q)
        return table_from(np.ones(len(rows)), rows, columns, shape)

    def expected(self, sums: Vector, n: Vector) -> Vector:
        shares, ratings = self._shares(sums)
        raters = (ratings > 0).sum(axis=1)
        flat = shares.reshape(-1, len(self.weights))
        own = ((flat @ self.weights) * flat).reshape(shares.shape).sum(axis=(1, 2))
        summed = shares.sum(axis=1)
        both = ((summed @ self.weights) * summed).sum(axis=1)
        pairs = (raters * (raters - 1)).astype(float)
        expected: Vector = (both - own) / np.where(pairs > 0, pairs, np.nan)
        return expected

    def by_item(self, features: Table, sums: Vector, n: float) -> Vector:
        shares, ratings = (one[0] for one in self._shares(sums[None]))
        raters = len(shares)
        slope = (shares.sum(axis=0) - shares) @ self.weights / (raters * (raters - 1))
        slope -= (slope * shares).sum(axis=1, keepdims=True)
        moved: Vector = features @ (slope * (n / ratings)[:, None]).ravel()
        return moved + self.expected(sums[None], np.array([n]))

    def _shares(self, sums: Vector) -> tuple[Vector, NDArray[np.float64]]:
        """p_gk (B, R, Q), all 0 for a rater without ratings, and the ratings of each (B, R)."""
        q = len(self.weights)
        counts = sums.reshape(len(sums), sums.shape[1] // q, q)
        ratings = counts.sum(axis=2)
        return counts / np.maximum(ratings, 1)[:, :, None], ratings
