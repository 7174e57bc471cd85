"""What the page of a lineage is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fact:
    """`address` is its own page. Codes are ids, hashes and settings; of a field of the input the
    label is one, too."""

    label: str
    value: Any
    address: str = ""
    is_code: bool = False
    is_field: bool = False


@dataclass(frozen=True)
class Step:
    title: str
    facts: Sequence[Fact] = ()
    why_unknown: str = ""


def known(*facts: Fact) -> list[Fact]:
    return [fact for fact in facts if fact.value not in (None, "")]
