"""What an instrument is made of: fields of an item, questions, their scales."""

from dataclasses import dataclass
from enum import StrEnum

Code = int | str

# Codes of a pairwise answer. First and second are the item's systems, whichever side they stood on.
FIRST, SECOND, EQUALLY_GOOD, EQUALLY_BAD = "first", "second", "equally_good", "equally_bad"
PAIRWISE_CODES = (FIRST, SECOND, EQUALLY_GOOD, EQUALLY_BAD)


class BadInstrument(ValueError):
    """A declaration that contradicts itself; the text names the place and what to change."""


class Kind(StrEnum):
    YES_NO = "yes_no"
    CHOICE = "choice"
    LIKERT = "likert"
    PAIRWISE = "pairwise"
    TEXT = "text"


class Level(StrEnum):
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


class Role(StrEnum):
    """How a field of the item is shown."""

    STORY = "story"
    REVISION = "revision"
    STATE = "state"
    OUTPUT = "output"
    TEXT = "text"


@dataclass(frozen=True)
class Field:
    """What an item brings and the page shows. A story and a revision are lists of sentences."""

    name: str
    label: str
    role: Role = Role.TEXT
    optional: bool = False


@dataclass(frozen=True)
class Option:
    code: Code
    label: str


@dataclass(frozen=True)
class Example:
    """Of the help: something that one could be asked about, the right answer, and why."""

    text: str
    code: Code
    why: str


@dataclass(frozen=True)
class Condition:
    """The question is asked where an earlier one was answered by one of these codes."""

    question: str
    codes: tuple[Code, ...]


@dataclass(frozen=True)
class Question:
    """`options_from` names a field of the item that brings `brought` options, with the codes 0, 1,
    2 and so on; declared options follow them. A code of `threshold` or above counts as yes."""

    slug: str
    text: str
    kind: Kind
    options: tuple[Option, ...] = ()
    level: Level = Level.NOMINAL
    threshold: int | None = None
    help: str = ""
    examples: tuple[Example, ...] = ()
    condition: Condition | None = None
    options_from: str = ""
    brought: int = 0

    @property
    def codes(self) -> tuple[Code, ...]:
        """Every code on offer, in the order of the scale."""
        return (*range(self.brought), *(option.code for option in self.options))

    @property
    def is_closed(self) -> bool:
        return self.kind is not Kind.TEXT

    def label_of(self, code: Code) -> str:
        found = next((one.label for one in self.options if one.code == code), "")
        return found or str(code)
