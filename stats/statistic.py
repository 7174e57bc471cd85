"""Coefficients as functions of sums over items, and their standard errors."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stats.chance import Chance
from stats.choices import StandardError
from stats.patterns import Patterns
from stats.results import ROUNDING
from stats.tables import Table, Vector, beside
from stats.weights import Matrix


@dataclass(frozen=True)
class Parts:
    """Observed and expected agreement of B resamples, NaN where they are not defined: (B)."""

    observed: Vector
    expected: Vector

    @property
    def values(self) -> Vector:
        """(observed - expected) / (1 - expected): (B)."""
        room = 1 - self.expected
        room = np.where(room > ROUNDING, room, np.nan)
        values: Vector = (self.observed - self.expected) / room
        return values


class Statistic(Protocol):
    """A coefficient over P patterns. `features` (P, F) is what an item of each adds to the sums;
    a scale of a single category leaves it undefined where it `needs_choice`."""

    patterns: Patterns
    features: Table
    needs_choice: bool

    def parts(self, sums: Vector, n: Vector) -> Parts:
        """Of sums (B, F) over n (B) items."""


class Linearised(Statistic, Protocol):
    """One with a formula for its standard error, of `degrees` + 1 items."""

    @property
    def degrees(self) -> int: ...

    def standard_error(self, value: float, expected: float, se: StandardError) -> float: ...


class ChanceCorrected:
    """Agreement over the items with two ratings or more, corrected by a rule of chance over all."""

    def __init__(self, patterns: Patterns, weights: Matrix, chance: Chance) -> None:
        self.patterns = patterns if chance.needs_raters else patterns.anonymous
        self.chance = chance
        self.needs_choice = chance.needs_choice
        self.chance_features = chance.features(self.patterns)
        totals = self.patterns.totals
        agreeing = self.patterns.pair_weights(weights) - totals
        self.agreeing: Vector = agreeing / np.maximum(totals * (totals - 1), 1)
        paired = self.patterns.paired
        own = np.column_stack([paired, paired * self.agreeing])
        self.features = beside(own, self.chance_features)

    def parts(self, sums: Vector, n: Vector) -> Parts:
        paired = np.where(sums[:, 0] > 0, sums[:, 0], np.nan)
        return Parts(sums[:, 1] / paired, self.chance.expected(sums[:, 2:], n))

    @property
    def degrees(self) -> int:
        return self.patterns.items - 1

    def standard_error(self, value: float, expected: float, se: StandardError) -> float:
        """Of the linearised coefficient. "gwet" (Gwet 2014, chapter 5) counts an item with one
        rating as a coefficient of 0, "delta" as what it adds: nothing."""
        patterns, n = self.patterns, self.patterns.items
        paired, room = patterns.paired, 1 - expected
        share = n / float(patterns.times @ paired)
        own = (self.agreeing - expected) / room
        kept = value if se == "gwet" else value * share * paired
        moved = share * paired * own - kept
        sums = patterns.times @ self.chance_features
        by_item = self.chance.by_item(self.chance_features, sums, n)
        moved = moved - 2 * (1 - value) * (by_item - expected) / room
        return float(np.sqrt(patterns.times @ moved**2 / (n * (n - 1))))
