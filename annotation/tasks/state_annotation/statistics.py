"""Figures of a dataset of state annotations, added up row by row.

Tokens are what stands between white space, case and all. Shares are means over the rows for which
they are defined: a row without a justification has no share of it that is revised.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DIGITS = 4


@dataclass
class Mean:
    total: float = 0
    count: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1

    def add_share(self, part: int, whole: int) -> None:
        """In percent. Nothing of nothing is no share."""
        if whole:
            self.add(100 * part / whole)

    @property
    def value(self) -> float | None:
        """None where there was nothing to take it of."""
        return round(self.total / self.count, DIGITS) if self.count else None


@dataclass
class Statistics:
    """Read `as_dict` once every row has been added."""

    tuples: int = 0
    stories: set[str] = field(default_factory=set)
    state_tokens: Mean = field(default_factory=Mean)
    changed_state_tokens: Mean = field(default_factory=Mean)
    justification_sentences: Mean = field(default_factory=Mean)
    revised_sentences: Mean = field(default_factory=Mean)
    justification_revised_pct: Mean = field(default_factory=Mean)
    revised_justification_pct: Mean = field(default_factory=Mean)
    state_overlap_pct: Mean = field(default_factory=Mean)
    story_overlap_pct: Mean = field(default_factory=Mean)

    def add(self, item: Mapping[str, Any], answers: Mapping[str, Any]) -> None:
        self.tuples += 1
        self.stories.add(item["story_id"])
        self._add_sentences(item["sentences"], answers["revision"], set(answers["justification"]))
        state, changed = answers["assertion"].split(), answers["changed_assertion"].split()
        self.state_tokens.add(len(state))
        self.changed_state_tokens.add(len(changed))
        self.state_overlap_pct.add_share(_found(state, changed), len(state))
        story, revised = _tokens(item["sentences"]), _tokens(answers["revision"])
        self.story_overlap_pct.add_share(_found(story, revised), len(story))

    def _add_sentences(
        self, sentences: Sequence[str], revision: Sequence[str], justification: set[int]
    ) -> None:
        pairs = enumerate(zip(sentences, revision, strict=True), 1)
        revised = {number for number, (before, after) in pairs if before != after}
        both = len(revised & justification)
        self.justification_sentences.add(len(justification))
        self.revised_sentences.add(len(revised))
        self.justification_revised_pct.add_share(both, len(justification))
        self.revised_justification_pct.add_share(both, len(revised))

    def as_dict(self) -> dict[str, Any]:
        means = {name: one.value for name, one in vars(self).items() if isinstance(one, Mean)}
        return {"tuples": self.tuples, "stories": len(self.stories), **means}


def _tokens(sentences: Iterable[str]) -> list[str]:
    return [token for sentence in sentences for token in sentence.split()]


def _found(tokens: Sequence[str], others: Iterable[str]) -> int:
    among = set(others)
    return sum(token in among for token in tokens)
