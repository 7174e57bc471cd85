"""Rows of the dataset files: the published layout, our own JSON lines, and a flat table.

All three keep every text to the byte, and reading a written row gives back the same item and
answers.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.utils.translation import gettext as _

from studies.task_types import ImportedRow, RowError

PUBLISHED_SENTENCES = 5
_NUMBERS = range(1, PUBLISHED_SENTENCES + 1)

PUBLISHED_FIELDS: tuple[str, ...] = (
    "AssignmentId",
    "Input.Title",
    "Input.storyid",
    *(f"Input.line{n}" for n in _NUMBERS),
    "Answer.assertion",
    *(f"Answer.line{n}.on" for n in _NUMBERS),
    "Answer.mod_assertion",
    *(f"Answer.mod_line{n}" for n in _NUMBERS),
)
OWN_FIELDS: tuple[str, ...] = (
    "assignment_id",
    "story_id",
    "title",
    "sentences",
    "assertion",
    "justification",
    "changed_assertion",
    "revision",
)
_TABLE_PATTERNS = ("line{}", "line{}_justifies", "revised_line{}")
NEEDED_FIELDS: dict[str, tuple[str, ...]] = {
    "pasta-jsonl": PUBLISHED_FIELDS,
    "jsonl": OWN_FIELDS,
    "csv": (
        *("assignment_id", "story_id", "title", "assertion", "changed_assertion"),
        *(pattern.format(1) for pattern in _TABLE_PATTERNS),
    ),
}


def to_published(
    *, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    """The published layout. Raises RowError for a story that has not exactly five sentences."""
    sentences, revision = item["sentences"], answers["revision"]
    if len(sentences) != PUBLISHED_SENTENCES:
        raise RowError(
            "Input.line5",
            _("This layout holds stories of 5 sentences. Story %(story)s has %(count)s.")
            % {"story": item["story_id"], "count": len(sentences)},
        )
    ticked = set(answers["justification"])
    values = (
        label,
        item["title"],
        item["story_id"],
        *sentences,
        answers["assertion"],
        *[n in ticked for n in _NUMBERS],
        answers["changed_assertion"],
        *revision,
    )
    return dict(zip(PUBLISHED_FIELDS, values, strict=True))


def from_published(row: Mapping[str, Any]) -> ImportedRow:
    _check_fields(row, PUBLISHED_FIELDS)
    ticks = {n: _checked(row, f"Answer.line{n}.on", bool) for n in _NUMBERS}
    return ImportedRow(
        label=_checked(row, "AssignmentId", str),
        item={
            "story_id": _checked(row, "Input.storyid", str),
            "title": _checked(row, "Input.Title", str),
            "sentences": [_checked(row, f"Input.line{n}", str) for n in _NUMBERS],
        },
        answers={
            "assertion": _checked(row, "Answer.assertion", str),
            "justification": [n for n, ticked in ticks.items() if ticked],
            "changed_assertion": _checked(row, "Answer.mod_assertion", str),
            "revision": [_checked(row, f"Answer.mod_line{n}", str) for n in _NUMBERS],
        },
    )


def to_own(*, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    row = {"assignment_id": label, **item, **answers}
    return {field: row[field] for field in OWN_FIELDS}


def from_own(row: Mapping[str, Any]) -> ImportedRow:
    _check_fields(row, OWN_FIELDS)
    sentences = _texts(row, "sentences")
    revision = _texts(row, "revision")
    justification = _checked(row, "justification", list)
    if not all(type(n) is int and 1 <= n <= len(sentences) for n in justification):
        raise RowError("justification", _("These must be numbers of sentences, from 1."))
    return _imported(
        row, sentences=sentences, justification=sorted(set(justification)), revision=revision
    )


def to_table(*, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, str]:
    """One flat row; a story of N sentences has N columns of each kind."""
    sentences, revision = item["sentences"], answers["revision"]
    ticked = set(answers["justification"])
    values = (
        label,
        item["story_id"],
        item["title"],
        *sentences,
        answers["assertion"],
        *["true" if n in ticked else "false" for n in range(1, len(sentences) + 1)],
        answers["changed_assertion"],
        *revision,
    )
    return dict(zip(_table_fields(len(sentences), len(revision)), values, strict=True))


@cache
def _table_fields(sentences: int, revised: int) -> tuple[str, ...]:
    line, justifies, revised_line = _TABLE_PATTERNS
    return (
        *("assignment_id", "story_id", "title"),
        *(line.format(n) for n in range(1, sentences + 1)),
        "assertion",
        *(justifies.format(n) for n in range(1, sentences + 1)),
        "changed_assertion",
        *(revised_line.format(n) for n in range(1, revised + 1)),
    )


def from_table(row: Mapping[str, Any]) -> ImportedRow:
    """Reads a row of a table that may have columns for longer stories; those are then empty."""
    count = 0
    while row.get(f"line{count + 1}_justifies"):
        count += 1
    numbers = range(1, count + 1)
    expected = {
        *("assignment_id", "story_id", "title", "assertion", "changed_assertion"),
        *(pattern.format(n) for n in numbers for pattern in _TABLE_PATTERNS),
    }
    for field, value in row.items():
        if field not in expected and value:
            raise RowError(field, _("This layout has no such field, or the one before is empty."))
    ticks = {n: _tick(row, f"line{n}_justifies") for n in numbers}
    return _imported(
        row,
        sentences=[_checked(row, f"line{n}", str) for n in numbers],
        justification=[n for n, ticked in ticks.items() if ticked],
        revision=[_checked(row, f"revised_line{n}", str) for n in numbers],
    )


def _imported(
    row: Mapping[str, Any], *, sentences: list[str], justification: list[int], revision: list[str]
) -> ImportedRow:
    if len(sentences) != len(revision):
        raise RowError("revision", _("The story and its revision have different lengths."))
    return ImportedRow(
        label=_checked(row, "assignment_id", str),
        item={
            "story_id": _checked(row, "story_id", str),
            "title": _checked(row, "title", str),
            "sentences": sentences,
        },
        answers={
            "assertion": _checked(row, "assertion", str),
            "justification": justification,
            "changed_assertion": _checked(row, "changed_assertion", str),
            "revision": revision,
        },
    )


def _check_fields(row: Mapping[str, Any], fields: tuple[str, ...]) -> None:
    for field in fields:
        if field not in row:
            raise RowError(field, _("The field is missing."))
    for field in row:
        if field not in fields:
            raise RowError(field, _("This layout has no such field."))


def _checked(row: Mapping[str, Any], field: str, kind: type) -> Any:
    if field not in row:
        raise RowError(field, _("The field is missing."))
    if type(row[field]) is not kind:
        names = {str: _("text"), bool: _("true or false"), list: _("a list")}
        raise RowError(field, _("This must be %(kind)s.") % {"kind": names[kind]})
    return row[field]


def _texts(row: Mapping[str, Any], field: str) -> list[str]:
    values: list[Any] = _checked(row, field, list)
    if not all(type(value) is str for value in values):
        raise RowError(field, _("This must be a list of texts."))
    return values


def _tick(row: Mapping[str, Any], field: str) -> bool:
    value = str(_checked(row, field, str)).strip().lower()
    if value not in ("true", "false"):
        raise RowError(field, _("This must be %(kind)s.") % {"kind": _("true or false")})
    return value == "true"
