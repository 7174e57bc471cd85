"""What rooms above have to say of a launch: each fills this with a note of the page that reviews
it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studies.services.plans import Plan


@dataclass(frozen=True)
class Note:
    """A sentence, and where it leads to."""

    words: Any
    link: Any
    address: str


# None where there is nothing to say.
MakeNote = Callable[[Plan], Note | None]

_notes: list[MakeNote] = []


def register(note: MakeNote) -> None:
    _notes.append(note)


def notes_on(plan: Plan) -> list[Note]:
    return [found for note in _notes if (found := note(plan)) is not None]
