"""Bradley and Terry (1952), "Rank analysis of incomplete block designs": the odds that system i is
preferred to j are exp(s_i - s_j), and the strengths s are those of the greatest likelihood.

C comparisons of S systems.
"""

from dataclasses import dataclass

import choix
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

Vector = NDArray[np.float64]
Places = NDArray[np.int64]
# Iterations slow down where hardly any system ever wins.
MOST_ITERATIONS = 10_000


@dataclass(frozen=True)
class Duels:
    """`first`, `second` (C): the places of the two systems; `points` (C): what the first got, from
    0 to 1; `item` (C): the place of what they were compared on."""

    systems: int
    first: Places
    second: Places
    points: Vector
    item: Places

    @property
    def wins(self) -> Vector:
        """Points of each system (rows) against each other: (S, S)."""
        wins = np.zeros((self.systems, self.systems))
        np.add.at(wins, (self.first, self.second), self.points)
        np.add.at(wins, (self.second, self.first), 1 - self.points)
        return wins

    @property
    def connected(self) -> bool:
        """Whether from every system a chain of wins leads to every other: only then are the
        strengths finite (Ford 1957)."""
        parts: int = connected_components(self.wins > 0, connection="strong")[0]
        return parts == 1

    @property
    def compared(self) -> bool:
        """Whether comparisons lead from every system to every other, whoever won them."""
        parts: int = connected_components(self.wins > 0, connection="weak")[0]
        return parts == 1

    def strengths(self) -> Vector:
        """By the `choix` library: (S), with a mean of 0."""
        found = choix.ilsr_pairwise_dense(self.wins, max_iter=MOST_ITERATIONS)
        return np.asarray(found - found.mean())

    def standard_errors(self, strengths: Vector) -> Vector:
        """Of the sandwich estimator, clustered by item (Liang and Zeger 1986): (S); 0 where items
        do not differ, as a single one does not."""
        items = int(self.item.max()) + 1
        if items < 2:
            return np.zeros(self.systems)
        chance = expit(strengths[self.first] - strengths[self.second])
        sides = np.zeros((len(chance), self.systems))
        rows = np.arange(len(chance))
        sides[rows, self.first], sides[rows, self.second] = 1, -1
        scores = np.zeros((items, self.systems))
        np.add.at(scores, self.item, sides * (self.points - chance)[:, None])
        inverse = np.linalg.pinv(sides.T @ (sides * (chance * (1 - chance))[:, None]))
        moved = scores @ inverse
        errors: Vector = np.sqrt(items / (items - 1) * (moved**2).sum(axis=0))
        return errors
