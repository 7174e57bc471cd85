"""How far two measurements of the same things go together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtri

from stats.results import ROUNDING
from stats.tables import Vector

TOO_FEW = "fewer than three pairs"
CONSTANT = "one of the two does not vary"


@dataclass(frozen=True)
class Correlation:
    """A coefficient over `n` pairs. `value` is None where it is undefined; `undefined_reason` says
    why. The interval needs four pairs, and neither it nor p is known where no pair departs from a
    line, or from the other's order: p would be 0 and the interval a point, of four pairs as well.
    """

    value: float | None
    p_value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    undefined_reason: str = ""


def pearson(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> Correlation:
    """Pearson's r of x (n) and y (n), with the t test's two-sided p of 0, and Fisher's (1921)
    interval. Raises ValueError for arrays of different lengths, and for numbers that are missing.
    """
    first, second = _checked(x), _checked(y)
    if (reason := _undefined(first, second)) is not None:
        return _none(len(first), reason)
    found = stats.pearsonr(first, second)
    value = float(np.clip(found.statistic, -1, 1))
    return _known(value, float(found.pvalue), len(first), 1.0, confidence)


def spearman(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> Correlation:
    """Spearman's rho of x (n) and y (n), ties at their mean rank, with the t approximation's
    two-sided p of 0, and the interval of Bonett and Wright (2000), "Sample size requirements for
    estimating Pearson, Kendall and Spearman correlations". Raises ValueError as `pearson`.
    """
    first, second = _checked(x), _checked(y)
    if (reason := _undefined(first, second)) is not None:
        return _none(len(first), reason)
    found = stats.spearmanr(first, second)
    value = float(np.clip(found.statistic, -1, 1))
    return _known(value, float(found.pvalue), len(first), 1 + value**2 / 2, confidence)


def _checked(given: ArrayLike) -> Vector:
    numbers = np.asarray(given, dtype=float)
    if numbers.ndim != 1:
        raise ValueError(f"A correlation is of two lists of numbers; this has {numbers.ndim} axes.")
    if not np.isfinite(numbers).all():
        raise ValueError("A number is missing: leave its pair out.")
    return numbers


def _undefined(x: Vector, y: Vector) -> str | None:
    if len(x) != len(y):
        raise ValueError(f"{len(x)} numbers cannot be paired with {len(y)}.")
    if len(x) < 3:
        return TOO_FEW
    return CONSTANT if np.ptp(x) == 0 or np.ptp(y) == 0 else None


def _none(n: int, reason: str) -> Correlation:
    return Correlation(None, None, None, None, n, reason)


def _known(value: float, p_value: float, n: int, variance: float, confidence: float) -> Correlation:
    """The interval on Fisher's scale, where the variance is `variance` / (n - 3)."""
    if 1 - abs(value) < ROUNDING:
        return Correlation(value, None, None, None, n)
    if n < 4:
        return Correlation(value, p_value, None, None, n)
    half = float(ndtri((1 + confidence) / 2)) * np.sqrt(variance / (n - 3))
    low, high = np.tanh(np.arctanh(value) + np.array([-half, half]))
    return Correlation(value, p_value, float(low), float(high), n)
