"""Whether an item brings what the instrument shows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import FIRST, SECOND, Field, Kind, Question, Role

# In a file, the one output of its system; a pair shows two.
OUTPUT = "output"
MARKED = "marked"
LISTS = (Role.STORY, Role.REVISION)
LONGEST_TEXT = 20_000
MOST_SENTENCES = 200
LONGEST_QUOTED = 60


class FieldError(ValueError):
    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def is_pairwise(declared: Declaration) -> bool:
    return any(question.kind is Kind.PAIRWISE for question in declared.questions)


def wanted_fields(declared: Declaration) -> list[Field]:
    """Of one system's output: of a pair, the output and what both share."""
    if not is_pairwise(declared):
        return list(declared.fields)
    shared = [field for field in declared.fields if field.name not in {FIRST, SECOND}]
    return [*shared, Field(OUTPUT, OUTPUT, Role.OUTPUT)]


def read_fields(declared: Declaration, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as raters are shown them. Raises FieldError."""
    wanted = wanted_fields(declared)
    brought = {one.options_from: one.brought for one in declared.questions if one.options_from}
    for name in given:
        if name not in {field.name for field in wanted}:
            raise FieldError(
                name,
                _("%(title)s shows no such field. It shows: %(known)s.")
                % {"title": declared.title, "known": ", ".join(field.name for field in wanted)},
            )
    read = {
        field.name: _read(field, given[field.name], brought.get(field.name, 0))
        for field in wanted
        if _is_there(field, given)
    }
    _check_marked(read)
    return read


def read_gold(declared: Declaration, given: Mapping[str, Any]) -> dict[str, int]:
    """Right answers by question; where it has a threshold, 1 for at least that and 0 for less.

    Raises FieldError.
    """
    for slug, code in given.items():
        try:
            known = _gold_codes(declared.question(slug))
        except LookupError as error:
            raise FieldError(f"gold.{slug}", str(error)) from error
        if code not in known or isinstance(code, bool):
            raise FieldError(f"gold.{slug}", _no_answer(code, [str(one) for one in known]))
    return dict(given)


def _no_answer(code: Any, known: Sequence[str]) -> str:
    if code in known:
        return _("This has to be a number, without quotation marks.")
    said = code if isinstance(code, str) else json.dumps(code, ensure_ascii=False)
    return _("“%(code)s” is no right answer to it. Known: %(known)s.") % {
        "code": said[:LONGEST_QUOTED],
        "known": ", ".join(known),
    }


def _gold_codes(question: Question) -> Sequence[Any]:
    return question.codes if question.threshold is None else (0, 1)


def _is_there(field: Field, given: Mapping[str, Any]) -> bool:
    if given.get(field.name) not in (None, "", []):
        return True
    if not field.optional:
        raise FieldError(field.name, _("The instrument shows this field, and it is empty."))
    return False


def _read(field: Field, value: Any, brought: int) -> Any:
    if brought:
        return _texts(field, value, exactly=brought)
    if field.name == MARKED:
        return value
    if field.role in LISTS:
        return _texts(field, value.splitlines() if isinstance(value, str) else value)
    return _text(field, value)


def _texts(field: Field, value: Any, exactly: int = 0) -> list[str]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_SENTENCES:
        raise FieldError(field.name, _("This has to be a list of sentences."))
    if exactly and len(value) != exactly:
        raise FieldError(
            field.name, _("This has to be a list of %(count)s texts.") % {"count": exactly}
        )
    return [_text(field, one) for one in value]


def _text(field: Field, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FieldError(field.name, _("This has to be a text."))
    if len(value) > LONGEST_TEXT:
        raise FieldError(
            field.name, _("This has more than %(most)s characters.") % {"most": f"{LONGEST_TEXT:,}"}
        )
    return value


def _check_marked(read: Mapping[str, Any]) -> None:
    if MARKED not in read:
        return
    marked, count = read[MARKED], len(read.get("story", []))
    if not isinstance(marked, list) or not all(
        type(one) is int and 1 <= one <= count for one in marked
    ):
        raise FieldError(
            MARKED, _("This has to be a list of numbers of sentences, counted from 1.")
        )
