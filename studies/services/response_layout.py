"""What every exported row carries besides the task type's own fields (docs/data.md)."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

import orjson
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from studies.story_files.json_lines import fault_within
from studies.task_types import Caution, RowError, TaskType

LABEL_LENGTH = 30
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS = [first + second for first in _LETTERS for second in _LETTERS]
# Of 150 bits in three parts: one number of so many takes longer to shift.
_PARTS = (100, 50, 0)
_PART = 2**50 - 1
_SHIFTS = (40, 30, 20, 10, 0)
TABLE = "csv"
OWN = "jsonl"
PUBLISHED = "pasta-jsonl"
# In our own layouts; the published one has no room for them.
ENVELOPED = (OWN, TABLE)
ENVELOPE = (
    "task_type",
    "schema_version",
    "round",
    "participant",
    "warnings",
    "submitted_at",
    "confirmed_at",
)
CAUTION_FIELDS = {field.name for field in fields(Caution)}


class OpaqueLabels:
    """The AssignmentIds of an export: stable for a study, telling nothing about the marketplace."""

    def __init__(self, salt: str) -> None:
        # Copied for each label, as to begin anew with the salt takes longer.
        self._keyed = hmac.new(salt.encode(), digestmod=hashlib.sha256)

    def of(self, assignment_id: int) -> str:
        mac = self._keyed.copy()
        mac.update(b"assignment:%d" % assignment_id)
        # In base 32, two letters at a time; base64.b32encode takes three times as long.
        number = int.from_bytes(mac.digest()[:19]) >> 2
        parts = [number >> place & _PART for place in _PARTS]
        return "".join([_PAIRS[part >> shift & 1023] for part in parts for shift in _SHIFTS])


def dump_published(row: Mapping[str, Any]) -> bytes:
    """As the published files are written, to the byte: ASCII, and slashes escaped."""
    line = orjson.dumps(row)
    if not line.isascii() or b"\x7f" in line:
        line = _to_ascii(row).encode()
    return line.replace(b"/", b"\\/")


_to_ascii = json.JSONEncoder(separators=(",", ":")).encode
# Legal in JSON, yet some programs end a line there.
_LINE_ENDS = [(end.encode(), b"\\u%04x" % ord(end)) for end in "\u2028\u2029\x85"]


def dump_own(row: Mapping[str, Any]) -> bytes:
    line = orjson.dumps(row)
    if not line.isascii():
        for end, escaped in _LINE_ENDS:
            line = line.replace(end, escaped)
    return line


@dataclass(frozen=True)
class Envelope:
    """What a row of our own layouts says about its response. All of it may be missing."""

    task_type: str
    participant: str
    cautions: list[dict[str, str]]
    submitted_at: datetime | None
    confirmed_at: datetime | None

    def check_version(self, row: Mapping[str, Any], task_type: TaskType) -> None:
        """Raises RowError when the row follows another version of the task type's schema."""
        version = str(row.get("schema_version") or task_type.schema_version)
        if version != str(task_type.schema_version):
            raise RowError(
                "schema_version",
                _("Version %(theirs)s cannot be read here; this is version %(ours)s.")
                % {"theirs": version, "ours": task_type.schema_version},
            )


def read_envelope(row: Mapping[str, Any]) -> Envelope:
    """Raises RowError."""
    return Envelope(
        task_type=_text(row, "task_type"),
        participant=_text(row, "participant"),
        cautions=_cautions(row.get("warnings")),
        submitted_at=_time(row, "submitted_at"),
        confirmed_at=_time(row, "confirmed_at"),
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name) or ""
    if not isinstance(value, str):
        raise RowError(name, _("This must be text."))
    return value


def _cautions(value: Any) -> list[dict[str, str]]:
    if isinstance(value, str) and value:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise RowError("warnings", _("This must be a JSON list.")) from error
    if value in (None, ""):
        return []
    if not isinstance(value, list):
        raise RowError("warnings", _("This must be a list."))
    if not all(map(_is_caution, value)):
        raise RowError(
            "warnings", _("Each of these must be an object of the texts field, code and message.")
        )
    if fault := fault_within(value):
        raise RowError("warnings", fault)
    return value


def _is_caution(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == CAUTION_FIELDS
        and all(isinstance(text, str) for text in value.values())
    )


def _time(row: Mapping[str, Any], name: str) -> datetime | None:
    text = _text(row, name)
    if not text:
        return None
    # Overflow: a time within the years 1 to 9999 in its own zone, and outside them in UTC.
    with suppress(ValueError, OverflowError):
        moment = parse_datetime(text)
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    raise RowError(name, _("This must be a time with its zone, such as 2026-01-31T09:30:00Z."))
