"""One input of a model and what it should answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FORWARD, BACKWARD = "forward", "backward"


@dataclass(frozen=True)
class Instance:
    """`part` says which of its tuple's instances it is. `fields` are what the text was made of, as
    an instrument shows it; what is right is in `target` alone."""

    key: str
    tuple_key: str
    part: str
    text: str
    target: str
    fields: dict[str, Any]


def instance(tuple_key: str, part: str, text: str, target: str, fields: dict[str, Any]) -> Instance:
    return Instance(f"{tuple_key}:{part}", tuple_key, part, text, target, fields)


def joined(sentences: Sequence[str]) -> str:
    """Sentences as a text, a space between them."""
    return " ".join(sentence.strip() for sentence in sentences)
