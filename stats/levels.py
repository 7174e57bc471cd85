"""Krippendorff's alpha by the level of measurement: his metrics, and the library's value."""

from collections.abc import Sequence
from typing import Any

import krippendorff
import numpy as np

from stats.alpha import Alpha, OrdinalAlpha
from stats.choices import LEVELS, Level
from stats.patterns import Patterns
from stats.ratings import BadScale, are_numbers
from stats.tables import dense
from stats.weights import Matrix

# The library holds four arrays (n_items, Q, Q) at a time.
LIBRARY_BYTES = 4 * 8
MOST_LIBRARY_BYTES = 64 * 2**20


def alpha_at(level: Level, patterns: Patterns, categories: Sequence[Any]) -> Alpha | OrdinalAlpha:
    """Raises BadScale for categories that the level cannot take, and ValueError for no level."""
    if level not in LEVELS:
        raise ValueError(f"Unknown level of measurement “{level}”. Known: {', '.join(LEVELS)}.")
    if level == "ordinal":
        return OrdinalAlpha(patterns)
    return Alpha(patterns, _distances(level, categories))


def fits_library(patterns: Patterns) -> bool:
    """Whether the library can take the ratings without much memory."""
    return patterns.items * patterns.q**2 * LIBRARY_BYTES <= MOST_LIBRARY_BYTES


def library_alpha(level: Level, patterns: Patterns, categories: Sequence[Any]) -> float:
    """The value by the `krippendorff` library, from value counts; it has to be defined."""
    counts = dense(patterns.anonymous.counts).astype(np.int64)
    times = patterns.anonymous.times.astype(np.int64)
    value: float = krippendorff.alpha(
        value_counts=np.repeat(counts, times, axis=0),
        value_domain=np.asarray(categories if are_numbers(categories) else range(patterns.q)),
        level_of_measurement=level,
    )
    return float(value)


def _distances(level: Level, categories: Sequence[Any]) -> Matrix:
    """From 0 to 1, for each pair of the Q categories."""
    if level == "nominal":
        return 1 - np.eye(len(categories))
    if not are_numbers(categories):
        raise BadScale(f"The {level} level needs categories that are numbers.")
    x = np.asarray(categories, dtype=float)
    apart = x[:, None] - x[None, :]
    if level == "ratio":
        both = x[:, None] + x[None, :]
        if (both[apart != 0] == 0).any():
            raise BadScale("The ratio level cannot take two categories whose sum is zero.")
        apart = np.divide(apart, both, out=np.zeros_like(apart), where=apart != 0)
    squared: Matrix = apart**2
    return squared / max(float(squared.max()), np.finfo(float).tiny)
