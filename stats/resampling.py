"""Bootstrap over items: how a coefficient varies when the items are drawn again.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 6 and 13. Where the items
have few patterns, it is drawn how often each pattern comes; else the items themselves are drawn.
Either way a resample costs its sums, not another look at the ratings.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from stats.patterns import Patterns
from stats.poisson import PoissonDraws
from stats.results import ROUNDING, Inference
from stats.statistic import Statistic
from stats.tables import Table, Vector

Integers = NDArray[np.int64]
# With more products of arrays at a time, linear algebra goes parallel and waits for processors.
PRODUCTS = 2**18
# By how many standard deviations too few Poisson numbers are drawn: with less, more of them are too
# many, and left out.
MARGIN = 1.0
# A pattern's number of times costs as much to draw as this many items.
ITEMS_FOR_A_PATTERN = 16


class TooFewResamples(ValueError):
    """Fewer resamples than a standard deviation takes."""


@dataclass(frozen=True)
class Resampled:
    """The coefficients of the resamples that have one: (B). `undefined` of them had none."""

    values: Vector
    undefined: int
    seed: int

    def describe(self) -> str:
        resamples = len(self.values) + self.undefined
        said = f"percentile bootstrap over items: {resamples:,} resamples, seed {self.seed}"
        return f"{said}; {self.undefined:,} had no value" if self.undefined else said

    def inference(self, confidence: float) -> Inference:
        """Standard deviation, percentile interval, and two-sided p of 0 (Davison and Hinkley 1997,
        chapter 4: the value itself counts as one of the resamples). No p where nothing varies."""
        if len(self.values) < 2:
            return Inference()
        low, high = np.quantile(self.values, [(1 - confidence) / 2, (1 + confidence) / 2])
        se = float(self.values.std(ddof=1))
        beyond = min((self.values <= 0).sum(), (self.values >= 0).sum())
        p = min(1.0, 2 * float(beyond + 1) / (len(self.values) + 1))
        return Inference(se, float(low), float(high), None if np.ptp(self.values) < ROUNDING else p)


def resample(statistic: Statistic, *, resamples: int, seed: int) -> Resampled:
    """The same `seed` draws the same resamples. Raises TooFewResamples for fewer than two."""
    if resamples < 2:
        raise TooFewResamples("A bootstrap needs at least two resamples.")
    patterns, features = statistic.patterns, statistic.features
    if not patterns.items:
        return Resampled(np.zeros(0), resamples, seed)
    few = len(patterns.codes) * ITEMS_FOR_A_PATTERN <= patterns.items
    draws = TimesDraws(patterns) if few else ItemDraws(patterns)
    rng, rows, values = np.random.default_rng(seed), _rows(features, draws.numbers), [np.zeros(0)]
    while left := resamples - sum(map(len, values)):
        times = draws.draw(rng, min(left, rows))
        items = np.full(len(times), patterns.items)
        values.append(statistic.parts(times @ features, items).values)
    found = np.concatenate(values)
    defined = found[~np.isnan(found)]
    return Resampled(defined, resamples - len(defined), seed)


def _rows(features: Table, numbers: int) -> int:
    """How many resamples are worked out at a time."""
    products = 0 if issparse(features) else features.size
    rows: int = min(numbers // max(features.shape), PRODUCTS // max(products, 1))
    return max(1, rows)


class ItemDraws:
    """Items drawn one by one."""

    numbers = 2**18

    def __init__(self, patterns: Patterns) -> None:
        self.n, self.kinds = patterns.items, len(patterns.codes)
        self.pattern_of = np.repeat(np.arange(self.kinds), patterns.times.astype(np.int64))
        self.small = np.uint32 if self.n < 2**32 else np.uint64

    def draw(self, rng: np.random.Generator, size: int) -> Vector:
        """How often each pattern comes in so many resamples: (B, P)."""
        return self.draw_some(rng, np.full(size, self.n)).astype(float)

    def draw_some(self, rng: np.random.Generator, items: Integers) -> Integers:
        """So many items for each resample: `items` (B) to (B, P)."""
        drawn = self.pattern_of.take(rng.integers(self.n, size=items.sum(), dtype=self.small))
        drawn += np.repeat(np.arange(len(items)) * self.kinds, items)
        times = np.bincount(drawn, minlength=len(items) * self.kinds)
        return times.reshape(len(items), self.kinds)


class TimesDraws:
    """The same, sooner where patterns are few: Poisson numbers are multinomial once their sum is
    known, so a few too few of them are drawn, and the rest one by one."""

    # Arrays of so many are quicker to get than larger ones.
    numbers = 2**14

    def __init__(self, patterns: Patterns) -> None:
        self.n, self.items = patterns.items, ItemDraws(patterns)
        self.poisson = PoissonDraws(max(0.0, 1 - MARGIN / np.sqrt(self.n)) * patterns.times)

    def draw(self, rng: np.random.Generator, size: int) -> Vector:
        """Fewer than `size`, as those with too many items are left out."""
        times = self.poisson.draw(rng, size)
        missing = self.n - times.sum(axis=1)
        fits = missing >= 0
        rest = self.items.draw_some(rng, missing[fits])
        whole: Vector = np.add(times[fits], rest, dtype=float)
        return whole
