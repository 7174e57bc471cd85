"""What models learn from: a story with a state, and the revision in which it changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BadTuple(ValueError):
    """The row is no tuple; the text says why."""


@dataclass(frozen=True)
class Tuple:
    """`justification` numbers, from 1, the sentences from which the state can be told. `story_key`
    says whose story it is: of one story there may be several tuples. Raises BadTuple."""

    key: str
    story: tuple[str, ...]
    justification: tuple[int, ...]
    state: str
    changed_state: str
    revised: tuple[str, ...]
    story_key: str = ""

    def __post_init__(self) -> None:
        if len(self.story) != len(self.revised):
            raise BadTuple(f"{self.key}: the story and its revision have different lengths.")
        if not all(1 <= number <= len(self.story) for number in self.justification):
            raise BadTuple(f"{self.key}: a sentence is named that the story does not have.")

    @property
    def changed(self) -> tuple[int, ...]:
        """Numbers of the sentences that the revision changed; from them the changed state is told.
        Surrounding spaces are no change."""
        pairs = zip(self.story, self.revised, strict=True)
        return tuple(n for n, (old, new) in enumerate(pairs, 1) if old.strip() != new.strip())

    @property
    def turned(self) -> "Tuple":
        """From the revision back to the story."""
        return Tuple(
            key=self.key,
            story=self.revised,
            justification=self.changed,
            state=self.changed_state,
            changed_state=self.state,
            revised=self.story,
            story_key=self.story_key,
        )


def tuple_from(label: str, item: Mapping[str, Any], answers: Mapping[str, Any]) -> Tuple:
    """Of an annotation: its label, what it is about, and what was answered."""
    return Tuple(
        key=label,
        story=tuple(item["sentences"]),
        justification=tuple(answers["justification"]),
        state=answers["assertion"],
        changed_state=answers["changed_assertion"],
        revised=tuple(answers["revision"]),
        story_key=item["story_id"],
    )
