"""The fields of a release's files: their names, types and meaning, for every file that tells them.

In English whatever the reader's language, so that files do not depend on who has them written.
"""

from dataclasses import dataclass
from enum import Enum

from annotation.tasks.state_annotation.layout import OWN_FIELDS, PUBLISHED_FIELDS
from studies.services.response_layout import PUBLISHED


class Kind(Enum):
    TEXT = "text"
    BOOLEAN = "boolean"
    TEXTS = "list of texts"
    NUMBERS = "list of numbers"


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind
    meaning: str


_MEANINGS = {
    "AssignmentId": "Opaque id of the annotation",
    "Input.Title": "Title of the story",
    "Input.storyid": "Id of the story",
    "Answer.assertion": "The state: something likely true of the story, and not said in it",
    "Answer.mod_assertion": "The state, changed so that it is very unlikely for the story",
    "assignment_id": "Opaque id of the annotation",
    "story_id": "Id of the story",
    "title": "Title of the story",
    "sentences": "The story, sentence by sentence",
    "assertion": "The state: something likely true of the story, and not said in it",
    "justification": "Numbers, from 1, of the sentences from which the state can be told",
    "changed_assertion": "The state, changed so that it is very unlikely for the story",
    "revision": "The story, revised as little as possible so that the changed state fits",
}
_LISTS = {"sentences": Kind.TEXTS, "revision": Kind.TEXTS, "justification": Kind.NUMBERS}


def columns_of(layout: str) -> list[Column]:
    return [_column(name) for name in (PUBLISHED_FIELDS if layout == PUBLISHED else OWN_FIELDS)]


def _column(name: str) -> Column:
    if meaning := _MEANINGS.get(name):
        return Column(name, _LISTS.get(name, Kind.TEXT), meaning)
    number = "".join(letter for letter in name if letter.isdigit())
    if name.endswith(".on"):
        return Column(name, Kind.BOOLEAN, f"Whether the state can be told from sentence {number}")
    which = "revised story" if ".mod_" in name else "story"
    return Column(name, Kind.TEXT, f"Sentence {number} of the {which}")
