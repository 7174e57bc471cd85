"""Agreement between raters: coefficients with standard error, interval and p.

Each takes `ratings` as an array (n_items, n_raters) with a missing one NaN or None, as a CountTable
(n_items, Q), or as a ContingencyTable (Q, Q) of two raters; the `categories` of the scale in their
order, used or not; and `weights` by name (stats.weights) or as a matrix (Q, Q). `se` is "gwet", the
published standard error, or "delta", which stays right where items have a single rating. Each
raises OutOfScale, BadScale, NotATable and BadWeights.

The formulas are Gwet's (2014), Handbook of Inter-Rater Reliability, 4th edition.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from stats.choices import ALPHA, Level, StandardError
from stats.coefficients import named
from stats.levels import alpha_at, fits_library, library_alpha
from stats.patterns import Patterns
from stats.ratings import Ratings
from stats.results import CERTAIN, NO_CHOICE, NO_PAIR, Agreement
from stats.summaries import by_bootstrap, by_formula

__all__ = [
    "CERTAIN",
    "NO_CHOICE",
    "NO_PAIR",
    "Agreement",
    "brennan_prediger",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac",
    "krippendorff_alpha",
    "percent_agreement",
]


def percent_agreement(
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    weights: str | ArrayLike = "identity",
    se: StandardError = "gwet",
    confidence: float = 0.95,
) -> Agreement:
    """The share of pairs of ratings of one item that agree, averaged over items."""
    return _corrected("percent_agreement", ratings, categories, weights, se, confidence)


def gwet_ac(
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    weights: str | ArrayLike = "identity",
    se: StandardError = "gwet",
    confidence: float = 0.95,
) -> Agreement:
    """Gwet's AC1 (identity weights) or AC2. Chance: stats.chance.Gwet."""
    return _corrected("gwet_ac", ratings, categories, weights, se, confidence)


def fleiss_kappa(
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    weights: str | ArrayLike = "identity",
    se: StandardError = "gwet",
    confidence: float = 0.95,
) -> Agreement:
    """Fleiss' kappa; of two raters Scott's pi. Chance: stats.chance.Fleiss."""
    return _corrected("fleiss_kappa", ratings, categories, weights, se, confidence)


def conger_kappa(
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    weights: str | ArrayLike = "identity",
    se: StandardError = "gwet",
    confidence: float = 0.95,
) -> Agreement:
    """Conger's kappa; of two raters Cohen's. Chance: stats.chance.Conger. Raises RatersUnknown for
    a CountTable, which does not say who rated what."""
    return _corrected("conger_kappa", ratings, categories, weights, se, confidence)


def brennan_prediger(
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    weights: str | ArrayLike = "identity",
    se: StandardError = "gwet",
    confidence: float = 0.95,
) -> Agreement:
    """Brennan and Prediger's kappa, also known as S, PABAK and Randolph's kappa. Chance:
    stats.chance.Uniform."""
    return _corrected("brennan_prediger", ratings, categories, weights, se, confidence)


def krippendorff_alpha(
    ratings: Ratings,
    *,
    categories: Sequence[Any],
    level: Level | None = None,
    weights: str | ArrayLike | None = None,
    se: StandardError = "gwet",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Krippendorff's alpha, by a level of measurement or by weights: one of the two is given.

    With `level` ("nominal", "ordinal", "interval", "ratio": Krippendorff's metrics) the value is
    the `krippendorff` library's where that takes little memory, and standard error, interval and p
    are of a bootstrap over items; none with `resamples=0`. With `weights` all is Gwet's. The two
    agree in value but for "ordinal", whose metric here depends on the ratings found.
    """
    patterns = Patterns.of(ratings, categories)
    if weights is not None and level is None:
        return by_formula(named(ALPHA, weights, patterns, categories), se, confidence)
    if weights is not None or level is None:
        raise ValueError("Krippendorff's alpha needs either a level of measurement or weights.")
    found = by_bootstrap(
        alpha_at(level, patterns, categories),
        resamples=resamples,
        seed=seed,
        confidence=confidence,
    )
    if found.value is None or not fits_library(patterns):
        return found
    return replace(found, value=library_alpha(level, patterns, categories))


def _corrected(
    name: str,
    ratings: Ratings,
    categories: Sequence[Any],
    weights: str | ArrayLike,
    se: StandardError,
    confidence: float,
) -> Agreement:
    patterns = Patterns.of(ratings, categories)
    return by_formula(named(name, weights, patterns, categories), se, confidence)
