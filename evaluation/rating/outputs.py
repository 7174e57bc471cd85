"""What is to be rated, wherever it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Release

# People as a system among others.
PEOPLE = "people"


class BadItems(ValueError):
    """There is nothing to be rated as it was brought; the text says why. Nothing is stored."""


@dataclass(frozen=True)
class Output:
    """What a system made of one input.

    Outputs of one `key` answer the same input. `source` is the story or tuple that the input is of;
    `group` and `part` say which items are scored together. `authors`: participants who wrote
    something of what is shown.
    """

    system: str
    key: str
    fields: Mapping[str, Any]
    source: str
    group: str = ""
    part: str = ""
    gold: Mapping[str, int] = field(default_factory=dict)
    authors: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Outputs:
    """`described` is kept with the round; `left_out` outputs could not be shown to anybody."""

    outputs: Sequence[Output]
    described: Mapping[str, Any]
    release: Release | None = None
    left_out: int = 0

    @property
    def systems(self) -> list[str]:
        return sorted({one.system for one in self.outputs})


def instance_names(key: str, part: str) -> tuple[str, str]:
    """How the instance is called that an item shows an output for: as the item, or, where that
    shows a part of the output, as the item without its part."""
    return key, key.removesuffix(f":{part}")
