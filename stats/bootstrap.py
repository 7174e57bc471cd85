"""Any coefficient with a bootstrap interval."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from stats.choices import COEFFICIENT_NAMES
from stats.coefficients import named
from stats.patterns import Patterns
from stats.ratings import Ratings
from stats.results import Agreement
from stats.summaries import by_bootstrap


def bootstrap(
    coefficient: str,
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    weights: str | ArrayLike = "identity",
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Agreement:
    """The coefficient of that name, with standard error, percentile interval and p of resamples of
    the items. `krippendorff_alpha(..., level=)` has its bootstrap itself.

    `ratings`, `categories` and `weights` as in stats.agreement. The same `seed` gives the same
    interval. Raises ValueError for an unknown coefficient, and what stats.agreement raises.
    """
    if coefficient not in COEFFICIENT_NAMES:
        raise ValueError(
            f"Unknown coefficient “{coefficient}”. Known: {', '.join(COEFFICIENT_NAMES)}."
        )
    statistic = named(coefficient, weights, Patterns.of(ratings, categories), categories)
    return by_bootstrap(statistic, resamples=resamples, seed=seed, confidence=confidence)
