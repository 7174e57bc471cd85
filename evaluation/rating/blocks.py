"""What an item brings, as the rating page shows it: texts with their marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from annotation.word_difference import word_difference
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import FIRST, SECOND, Field, Kind, Role
from evaluation.rating.fields import MARKED, is_pairwise

# A stretch of text and the element that marks it, if one does.
Piece = tuple[str, str]


class Width(StrEnum):
    """Lines go across; texts stand side by side where the window is wide enough."""

    ACROSS = "across"
    BESIDE = "beside"


@dataclass(frozen=True)
class Line:
    pieces: list[Piece]
    is_marked: bool = False


@dataclass(frozen=True)
class Block:
    label: str
    tone: str
    width: Width
    lines: list[Line]
    is_numbered: bool = False
    is_first_side: bool = False

    @property
    def has_marks(self) -> bool:
        return any(line.is_marked for line in self.lines)


def blocks_of(declared: Declaration, fields: Mapping[str, Any]) -> list[Block]:
    """A state comes first, as texts are read for it; all else in the instrument's order."""
    brings_options = {question.options_from for question in declared.questions}
    shown = [
        field
        for field in declared.fields
        if field.name in fields and field.name not in {MARKED, *brings_options}
    ]
    shown.sort(key=lambda field: field.role is not Role.STATE)
    return [_block(field, declared, fields) for field in shown]


def stands_wide(declared: Declaration) -> bool:
    """Whether two texts stand side by side, so that they need the larger part of the page."""
    return any(_width(field, declared) is Width.BESIDE for field in declared.fields)


def _block(field: Field, declared: Declaration, fields: Mapping[str, Any]) -> Block:
    written = fields[field.name]
    texts = [written] if isinstance(written, str) else [str(text) for text in written]
    marked = set(fields.get(MARKED, ())) if field.role is Role.STORY else set()
    return Block(
        label=_side(field, declared) or field.label,
        tone=field.role,
        width=_width(field, declared),
        lines=[
            Line(pieces, number in marked)
            for number, pieces in enumerate(_pieces(field, texts, declared, fields), 1)
        ],
        is_numbered=not isinstance(written, str),
        is_first_side=field.name == FIRST and bool(_side(field, declared)),
    )


def _pieces(
    field: Field, texts: Sequence[str], declared: Declaration, fields: Mapping[str, Any]
) -> list[list[Piece]]:
    """A story with the words that its revision lacks, a revision with those it adds."""
    other = next((fields[one.name] for one in _compared(field, declared) if one.name in fields), "")
    if isinstance(other, str):
        return [[("", text)] for text in texts]
    if field.role is Role.STORY:
        pairs = zip_longest(texts, other, fillvalue="")
        return [_marked("del", old, new) for old, new in pairs][: len(texts)]
    pairs = zip_longest(other, texts, fillvalue="")
    return [_marked("ins", old, new) for old, new in pairs][: len(texts)]


def _compared(field: Field, declared: Declaration) -> list[Field]:
    """The one story of an instrument and its one revision are compared with each other."""
    stories, revisions = (
        [one for one in declared.fields if one.role is role] for role in (Role.STORY, Role.REVISION)
    )
    if len(stories) != 1 or len(revisions) != 1:
        return []
    return {Role.STORY: revisions, Role.REVISION: stories}.get(field.role, [])


def _marked(tag: str, old: str, new: str) -> list[Piece]:
    own = [
        (part.same, part.old if tag == "del" else part.new) for part in word_difference(old, new)
    ]
    return [("" if same else tag, text) for same, text in own if text]


def _width(field: Field, declared: Declaration) -> Width:
    beside = is_pairwise(declared) or bool(_compared(field, declared))
    return Width.BESIDE if beside and field.role is not Role.STATE else Width.ACROSS


def _side(field: Field, declared: Declaration) -> str:
    """What the questions call this output of a pair."""
    if field.name not in {FIRST, SECOND}:
        return ""
    pairs = (one for one in declared.questions if one.kind is Kind.PAIRWISE)
    return next((one.label_of(field.name) for one in pairs), "")
