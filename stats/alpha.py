"""Krippendorff's alpha, with his metrics or with Gwet's weights.

Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability"; the standard error with weights
is Gwet's (2014), Handbook of Inter-Rater Reliability, 4th edition, chapter 5.

Items with two ratings or more count: r_i ratings of item i, N_k of category k, R of all; d (Q, Q)
is how far two categories are apart.
alpha = 1 - (R-1) sum_i (sum_kl r_ik r_il d_kl / (r_i - 1)) / sum_kl N_k N_l d_kl
"""

import numpy as np
from scipy.sparse import csr_array

from stats.choices import StandardError
from stats.patterns import Patterns
from stats.statistic import Parts
from stats.tables import Table, Vector, beside, pairs_of, rows_times, table_from
from stats.weights import Matrix


class Alpha:
    """With distances (Q, Q) that are given, from 0 to 1."""

    needs_choice = True

    def __init__(self, patterns: Patterns, distances: Matrix) -> None:
        self.patterns = patterns.anonymous
        self.distances = distances
        self.ratings = self.patterns.totals * self.patterns.paired
        apart = self.patterns.pair_weights(distances)
        self.disagreeing: Vector = apart / np.maximum(self.patterns.totals - 1, 1)
        self.counts = rows_times(self.patterns.counts, self.patterns.paired)
        own = np.column_stack([self.ratings, self.disagreeing])
        self.features = beside(own, self.counts)

    def parts(self, sums: Vector, n: Vector) -> Parts:
        counts = sums[:, 2:]
        apart = ((counts @ self.distances) * counts).sum(axis=1)
        return parts_of(ratings=sums[:, 0], disagreeing=sums[:, 1], apart=apart)

    @property
    def degrees(self) -> int:
        return int(self.patterns.times @ self.patterns.paired) - 1

    def standard_error(self, value: float, expected: float, se: StandardError) -> float:
        return self._published() if se == "gwet" else self._delta(value)

    def _published(self) -> float:
        paired, times = self.patterns.paired, self.patterns.times
        n, ratings = times @ paired, times @ self.ratings
        mean = ratings / n
        observed = 1 - times @ self.disagreeing / ratings
        shares = times @ self.counts / ratings
        expected = 1 - shares @ self.distances @ shares
        value = (observed - expected) / (1 - expected)
        uneven = (self.ratings - mean) / mean
        own = (self.ratings - self.disagreeing) / mean - observed * uneven
        by_item = (self.ratings - self.counts @ (self.distances @ shares)) / mean
        by_item -= expected * uneven
        moved = (own - expected) - 2 * (1 - value) * (by_item - expected)
        moved = moved / (1 - expected) - value
        return float(np.sqrt((times * paired) @ moved**2 / (n * (n - 1))))

    def _delta(self, value: float) -> float:
        """The derivatives of alpha by the weight of each of all n items."""
        times, n = self.patterns.times, self.patterns.items
        ratings, counts = times @ self.ratings, times @ self.counts
        pull = self.distances @ counts
        apart = counts @ pull
        by_marginals = self.ratings / (ratings - 1) - 2 * (self.counts @ pull) / apart
        moved = n * ((ratings - 1) * self.disagreeing / apart + (1 - value) * by_marginals)
        return float(np.sqrt(times @ moved**2 / (n * (n - 1))))


class OrdinalAlpha:
    """With Krippendorff's ordinal metric, which depends on the ratings found: two categories are as
    far apart as their middle ranks. d_kl = (rank_k - rank_l)^2, rank_k = N_1 + ... + N_k - N_k / 2.
    """

    needs_choice = True

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns.anonymous
        counts = rows_times(self.patterns.counts, self.patterns.paired)
        self.features = beside(counts, coincidences(csr_array(counts), self.patterns.totals))

    def parts(self, sums: Vector, n: Vector) -> Parts:
        q = self.patterns.q
        counts, together = sums[:, :q], sums[:, q:].reshape(-1, q, q)
        ratings = counts.sum(axis=1)
        ranks = counts.cumsum(axis=1) - counts / 2
        ranks -= ratings[:, None] / 2
        squares = (counts * ranks**2).sum(axis=1)
        alike = np.einsum("bk,bkl,bl->b", ranks, together, ranks)
        means = (counts * ranks).sum(axis=1)
        widest = np.maximum(ratings, 1) ** 2
        return parts_of(
            ratings=ratings,
            disagreeing=2 * (squares - alike) / widest,
            apart=2 * (ratings * squares - means**2) / widest,
        )


def coincidences(counts: csr_array, totals: Vector) -> Table:
    """Pairs of ratings of one item by both categories, each item weighing as many as it has
    ratings: (P, Q * Q) of counts (P, Q)."""
    kinds, q = counts.shape
    pairs = pairs_of(counts)
    same = np.where(pairs.first == pairs.second, np.sqrt(pairs.counts), 0)
    shares = (pairs.counts - same) / np.maximum(totals[pairs.row] - 1, 1)
    return table_from(shares, pairs.row, pairs.first * q + pairs.second, (kinds, q * q))


def parts_of(*, ratings: Vector, disagreeing: Vector, apart: Vector) -> Parts:
    """As Gwet writes it, so that (observed - expected) / (1 - expected) is alpha."""
    ratings = np.where(ratings > 0, ratings, np.nan)
    observed = 1 - (1 - 1 / ratings) * disagreeing / ratings
    return Parts(observed, 1 - apart / ratings**2)
