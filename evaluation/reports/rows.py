"""What reports are made of: items with their ratings, as plain values."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from evaluation.instruments.parts import Code
from modeling.metrics.share import Share

# What an output scores beside its reference, by metric.
Shares = Mapping[str, Share]


@dataclass(frozen=True)
class Given:
    """One rater's answers about an item."""

    pk: int
    rater: int
    answers: Mapping[str, Code]
    submitted_at: datetime


@dataclass(frozen=True)
class Texts:
    """What a system wrote, and what people wrote; sentences of a story on lines of their own."""

    output: str
    reference: str


@dataclass(frozen=True)
class RatedItem:
    """`rival` is the second system of a pair. Without ratings it is an output that was expected and
    is absent. `texts` are read for the reports that compare them, and so is what they score,
    `shares`. `round` has the key of the round in which it was rated, 0 where that was elsewhere."""

    pk: int
    system: str
    ratings: tuple[Given, ...]
    rival: str = ""
    group: str = ""
    part: str = ""
    gold: Mapping[str, Any] = field(default_factory=dict)
    texts: Texts | None = None
    shares: Shares | None = None
    round: int = 0

    def codes(self, question: str) -> list[Code]:
        """The answers of those who were asked."""
        return [one.answers[question] for one in self.ratings if question in one.answers]


Items = Sequence[RatedItem]


def first_submitted(items: Items, count: int) -> list[RatedItem]:
    """Each system's first ratings by submit time, or each pair's, and the items that have any of
    them."""
    by_row: dict[tuple[str, str], list[Given]] = {}
    for item in items:
        by_row.setdefault((item.system, item.rival), []).extend(item.ratings)
    kept = {
        one.pk
        for ratings in by_row.values()
        for one in sorted(ratings, key=lambda one: (one.submitted_at, one.pk))[:count]
    }
    left = (
        replace(item, ratings=tuple(one for one in item.ratings if one.pk in kept))
        for item in items
    )
    return [item for item in left if item.ratings]


def grouped(
    items: Iterable[RatedItem], key: Callable[[RatedItem], object] = lambda item: None
) -> list[list[RatedItem]]:
    """Items that are scored together: of one round and one source, with the same key. A part that
    comes again, as of an output that is in two files, begins another group."""
    found: dict[Any, list[RatedItem]] = defaultdict(list)
    times: Counter[Any] = Counter()
    for item in items:
        same = (item.system, item.round, item.group or item.pk, key(item))
        found[same, times[same, item.part]].append(item)
        times[same, item.part] += 1
    return list(found.values())
