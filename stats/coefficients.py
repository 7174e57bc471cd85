"""The coefficients by name."""

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from stats.alpha import Alpha
from stats.chance import Chance, Conger, Fleiss, Gwet, NoChance, Uniform
from stats.choices import ALPHA
from stats.patterns import Patterns
from stats.statistic import ChanceCorrected, Linearised
from stats.weights import Matrix, weight_matrix

CHANCE: dict[str, Callable[[Matrix], Chance]] = {
    "percent_agreement": NoChance,
    "gwet_ac": Gwet,
    "fleiss_kappa": Fleiss,
    "conger_kappa": Conger,
    "brennan_prediger": Uniform,
}


def named(
    name: str, weights: str | ArrayLike, patterns: Patterns, categories: Sequence[Any]
) -> Linearised:
    """The coefficient of that name of COEFFICIENT_NAMES. Raises BadWeights."""
    matrix = weight_matrix(weights, categories)
    if name == ALPHA:
        return Alpha(patterns, 1 - matrix)
    return ChanceCorrected(patterns, matrix, CHANCE[name](matrix))
