"""How far two different ratings still agree: the weight matrices of Gwet (2014), chapter 3.

Numeric categories weigh by their values, so that -2, -1, 1, 2 are not evenly spaced; others, and
`ordinal` always, by their place in the order given.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stats.choices import WEIGHTS

Matrix = NDArray[np.float64]


class BadWeights(ValueError):
    """Weights that do not exist, or that the categories cannot take."""


def weight_matrix(weights: str | ArrayLike, categories: Sequence[Any]) -> Matrix:
    """The (Q, Q) matrix of agreement between Q categories, 1 on its diagonal.

    `weights` is one of `WEIGHTS`, or the matrix itself. Raises BadWeights for an unknown name, a
    matrix of another shape, not symmetric or outside 0 to 1, and categories the weights cannot
    take: two of one value, or, for `ratio`, two whose sum is zero.
    """
    q = len(categories)
    if not isinstance(weights, str):
        return _checked(np.asarray(weights, dtype=float), q)
    if weights not in WEIGHTS:
        raise BadWeights(f"Unknown weights “{weights}”. Known: {', '.join(WEIGHTS)}.")
    if weights == "identity" or q < 2:
        return np.eye(q)
    places = np.arange(1.0, q + 1)
    values = places if weights == "ordinal" else _values(categories, places)
    return 1 - _distances(weights, values)


def _checked(matrix: Matrix, q: int) -> Matrix:
    if matrix.shape != (q, q):
        raise BadWeights(f"The weights are {matrix.shape}; {q} categories need ({q}, {q}).")
    if not (np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1)):
        raise BadWeights("The weights are not symmetric with 1 on the diagonal.")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise BadWeights("A weight is outside 0 to 1.")
    return matrix


def _values(categories: Sequence[Any], places: Matrix) -> Matrix:
    """The categories as numbers, or their places where they are no numbers."""
    if all(isinstance(one, int | float | np.number) for one in categories):
        return np.asarray(categories, dtype=float)
    return places


def _distances(weights: str, x: Matrix) -> Matrix:
    """From 0 to 1, for each pair of the Q values."""
    apart: Matrix = np.abs(x[:, None] - x[None, :])
    low, high = float(x.min()), float(x.max())
    match weights:
        case "quadratic":
            return (apart / (high - low)) ** 2
        case "linear":
            return apart / (high - low)
        case "radical":
            return np.sqrt(apart / (high - low))
        case "ordinal":
            between = (apart + 1) * apart / 2
            return between / float(between.max())
        case "ratio":
            return _ratio(apart, x[:, None] + x[None, :])
        case "circular":
            around = np.sin(np.pi * apart / (high - low + 1)) ** 2
            return around / float(around.max())
    both = x[:, None] + x[None, :]
    room = (both - 2 * low) * (2 * high - both)
    squared: Matrix = np.divide(apart**2, room, out=np.zeros_like(apart), where=apart > 0)
    return squared / float(squared.max())


def _ratio(apart: Matrix, both: Matrix) -> Matrix:
    if (both[apart > 0] == 0).any():
        raise BadWeights("Ratio weights cannot take two categories whose sum is zero.")
    squared: Matrix = np.divide(apart, both, out=np.zeros_like(apart), where=apart > 0) ** 2
    widest = float(squared[np.argmin(np.diag(both)), np.argmax(np.diag(both))])
    return squared / widest
