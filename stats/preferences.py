"""Which of two was preferred: counted, and as one scale of strength for all systems."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.special import stdtrit

from stats.bradley_terry import Duels

UNCONNECTED = (
    "the systems are not connected by wins in both directions, "
    "so some strengths would be without bound"
)
APART = "some systems were never compared with the others, not even by way of a third"
NOTHING = "there is no comparison"
# Strengths that differ by less are the same: they are found to about so many decimals.
NEARLY = 1e-6


class Verdict(StrEnum):
    FIRST = "first"
    SECOND = "second"
    BOTH_GOOD = "equally good"
    BOTH_BAD = "equally bad"


SWAPPED = {Verdict.FIRST: Verdict.SECOND, Verdict.SECOND: Verdict.FIRST}
# What the first system gets of a comparison in Bradley and Terry's model: a tie is half a win.
POINTS = {Verdict.FIRST: 1.0, Verdict.SECOND: 0.0, Verdict.BOTH_GOOD: 0.5, Verdict.BOTH_BAD: 0.5}


@dataclass(frozen=True)
class Comparison:
    """One rater's verdict on the outputs of two systems for an item, by one question."""

    item: Hashable
    first: str
    second: str
    verdict: Verdict
    question: str = ""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ValueError(f"{self.first} was compared with itself (item {self.item}).")
        Verdict(self.verdict)


@dataclass(frozen=True)
class Tally:
    """How `system` did against `other` by one question. The shares are of all comparisons."""

    question: str
    system: str
    other: str
    wins: int
    losses: int
    both_good: int
    both_bad: int

    @property
    def n(self) -> int:
        return self.wins + self.losses + self.both_good + self.both_bad


@dataclass(frozen=True)
class Strength:
    """A system's place on the common scale, in log odds; the mean of all systems is 0.

    No error and no interval are known of one on which all items say the same, such as ties alone:
    that others would say it, too, does not follow.
    """

    system: str
    value: float
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None


@dataclass(frozen=True)
class Ranking:
    """Strengths, the strongest first; none, and the reason, where they are undefined."""

    strengths: tuple[Strength, ...]
    n_items: int
    n_comparisons: int
    undefined_reason: str = ""


def tally(comparisons: Iterable[Comparison]) -> list[Tally]:
    """Of each question and pair of systems, in order of question and of the systems' names;
    whichever of the two came first."""
    counts: Counter[tuple[str, str, str, Verdict]] = Counter()
    for one in comparisons:
        verdict, (low, high) = one.verdict, sorted((one.first, one.second))
        if low != one.first:
            verdict = SWAPPED.get(verdict, verdict)
        counts[one.question, low, high, verdict] += 1
    return [
        Tally(
            question=question,
            system=low,
            other=high,
            wins=counts[question, low, high, Verdict.FIRST],
            losses=counts[question, low, high, Verdict.SECOND],
            both_good=counts[question, low, high, Verdict.BOTH_GOOD],
            both_bad=counts[question, low, high, Verdict.BOTH_BAD],
        )
        for question, low, high in sorted({key[:3] for key in counts})
    ]


def bradley_terry(
    comparisons: Sequence[Comparison], *, ties: bool = True, confidence: float = 0.95
) -> Ranking:
    """Strengths of the systems from comparisons by one question: stats.bradley_terry.

    A tie is half a win for each, or left out without `ties`. Verdicts on one item may depend on
    each other: intervals are clustered by item, with n_items - 1 degrees of freedom; with a single
    item there are none. Raises ValueError for comparisons by several questions.
    """
    if len({one.question for one in comparisons}) > 1:
        raise ValueError("Strengths are of one question; these comparisons are by several.")
    used = [one for one in comparisons if ties or one.verdict in SWAPPED]
    names = sorted({name for one in used for name in (one.first, one.second)})
    items = {item: place for place, item in enumerate(dict.fromkeys(one.item for one in used))}
    if not used:
        return Ranking((), 0, 0, NOTHING)
    duels = Duels(
        systems=len(names),
        first=np.array([names.index(one.first) for one in used]),
        second=np.array([names.index(one.second) for one in used]),
        points=np.array([POINTS[one.verdict] for one in used]),
        item=np.array([items[one.item] for one in used]),
    )
    if not duels.connected:
        reason = UNCONNECTED if duels.compared else APART
        return Ranking((), len(items), len(used), reason)
    strengths = _strengths(duels, names, degrees=len(items) - 1, confidence=confidence)
    return Ranking(strengths, len(items), len(used))


def _strengths(
    duels: Duels, names: list[str], *, degrees: int, confidence: float
) -> tuple[Strength, ...]:
    values = duels.strengths()
    t = float(stdtrit(degrees, (1 + confidence) / 2))
    found = [
        Strength(name, value, error, value - t * error, value + t * error)
        if error > NEARLY
        else Strength(name, value)
        for name, value, error in zip(
            names, values.tolist(), duels.standard_errors(values).tolist(), strict=True
        )
    ]
    return tuple(sorted(found, key=lambda one: (-round(one.value / NEARLY), one.system)))
