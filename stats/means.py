"""Means, or sums by sums, with the interval of resamples; and the same over several runs."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stats.resampling import TooFewResamples
from stats.results import ROUNDING
from stats.tables import Vector, blocks

NOTHING = "there is nothing to take a mean of"
NO_WHOLE = "the wholes sum to 0"
# Numbers of resamples worked out at a time.
BLOCK = 2**20


@dataclass(frozen=True)
class Mean:
    """`value` is None where it is undefined; `undefined_reason` says why. Without a second cluster,
    and where all have the same value, there is no interval."""

    value: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_clusters: int
    undefined_reason: str = ""


def mean(
    parts: ArrayLike,
    wholes: ArrayLike | None = None,
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Mean:
    """The sum of `parts` (n) by the sum of `wholes` (n), which are 1 where they are left out, with
    the percentile interval of a bootstrap.

    What has the same cluster is drawn together, as several outputs about one story have to be;
    without `clusters` everything stands alone. The same `seed` gives the same interval. Raises
    ValueError for lists of different lengths, numbers that are missing and negative wholes, and
    TooFewResamples for fewer than two.
    """
    over = np.asarray(parts, dtype=float)
    under = np.ones(over.shape) if wholes is None else np.asarray(wholes, dtype=float)
    if over.ndim != 1 or over.shape != under.shape:
        raise ValueError("Parts and wholes are lists of one length.")
    [found] = means(
        over[:, None],
        under[:, None],
        clusters=range(len(over)) if clusters is None else clusters,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
    )
    return found


def means(
    parts: Vector,
    wholes: Vector,
    *,
    clusters: Sequence[Hashable],
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Mean]:
    """`mean` of each of K columns of `parts` and `wholes` (n, K), on the same resamples."""
    _check(parts, wholes, clusters, resamples)
    n, columns = parts.shape
    if not n:
        return [Mean(None, None, None, None, 0, 0, NOTHING)] * columns
    over, under = _summed(parts, clusters), _summed(wholes, clusters)
    drawn = _drawn(over, under, resamples, seed) if len(over) > 1 else np.zeros((0, columns))
    return [
        _mean(over[:, k].sum(), under[:, k].sum(), drawn[:, k], n, len(over), confidence)
        for k in range(columns)
    ]


@dataclass(frozen=True)
class Spread:
    """Over n runs. One run has no standard deviation, and none no mean."""

    mean: float | None
    sd: float | None
    n: int


def spread(values: ArrayLike) -> Spread:
    """Mean and sample standard deviation of the same number over runs with other seeds."""
    numbers = np.asarray(values, dtype=float)
    n = len(numbers)
    sd = float(numbers.std(ddof=1)) if n > 1 else None
    return Spread(float(numbers.mean()) if n else None, sd, n)


def _mean(
    over: float, under: float, drawn: Vector, n: int, clusters: int, confidence: float
) -> Mean:
    if under < ROUNDING:
        return Mean(None, None, None, None, n, clusters, NO_WHOLE)
    value, known = float(over / under), drawn[~np.isnan(drawn)]
    if len(known) < 2 or np.ptp(known) < ROUNDING:
        return Mean(value, None, None, None, n, clusters)
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Mean(value, float(known.std(ddof=1)), float(low), float(high), n, clusters)


def _drawn(over: Vector, under: Vector, resamples: int, seed: int) -> Vector:
    """The ratios of each resample of clusters, NaN where the wholes sum to 0: (B, K)."""
    rng, groups = np.random.default_rng(seed), len(over)
    even = np.full(groups, 1 / groups)
    found = []
    for some in blocks(resamples, groups, numbers=BLOCK):
        times = rng.multinomial(groups, even, size=some.stop - some.start).astype(float)
        wholes = times @ under
        wholes[wholes < ROUNDING] = np.nan
        found.append(times @ over / wholes)
    return np.concatenate(found)


def _summed(values: Vector, clusters: Sequence[Hashable]) -> Vector:
    """By cluster: (n, K) to (C, K)."""
    number = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    places: NDArray[np.int64] = np.array([number[one] for one in clusters], dtype=np.int64)
    sums = [np.bincount(places, weights=column, minlength=len(number)) for column in values.T]
    return np.stack(sums, axis=1)


def _check(parts: Vector, wholes: Vector, clusters: Sequence[Hashable], resamples: int) -> None:
    if resamples < 2:
        raise TooFewResamples("A bootstrap needs at least two resamples.")
    if parts.shape != wholes.shape or len(parts) != len(clusters):
        raise ValueError("Parts, wholes and clusters are of one length.")
    if not (np.isfinite(parts).all() and np.isfinite(wholes).all()):
        raise ValueError("A number is missing: leave it out.")
    if (wholes < 0).any():
        raise ValueError("A whole is negative.")
