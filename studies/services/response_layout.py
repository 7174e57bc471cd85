"""What every exported row carries besides the task type's own fields (docs/data.md)."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from studies import spreadsheet_cells
from studies.task_types import RowError, TaskType

LABEL_LENGTH = 30
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


def opaque_label(salt: str, assignment_id: int) -> str:
    """The AssignmentId of an export: stable for a study, telling nothing about the marketplace."""
    mac = hmac.digest(salt.encode(), f"assignment:{assignment_id}".encode(), hashlib.sha256)
    # 20 bytes are 32 letters, with nothing to pad.
    return base64.b32encode(mac[:20]).decode()[:LABEL_LENGTH]


def dump_published(row: Mapping[str, Any]) -> str:
    """As the published files are written, to the byte: ASCII, and slashes escaped."""
    return _to_ascii(row).replace("/", "\\/")


_to_ascii = json.JSONEncoder(separators=(",", ":")).encode
_to_unicode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
# Legal in JSON, yet some programs end a line there.
_LINE_ENDS = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"})


def dump_own(row: Mapping[str, Any]) -> str:
    line = _to_unicode(row)
    return line if line.isascii() else line.translate(_LINE_ENDS)


def table_cells(row: Mapping[str, Any]) -> list[str]:
    """The row's values as cells: text made harmless, times in ISO 8601, lists as JSON."""
    return [spreadsheet_cells.neutralise(_cell(value)) for value in row.values()]


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Envelope:
    """What a row of our own layouts says about its response. All of it may be missing."""

    task_type: str
    participant: str
    cautions: list[Any]
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


def _cautions(value: Any) -> list[Any]:
    if isinstance(value, str) and value:
        try:
            value = json.loads(value)
        except ValueError as error:
            raise RowError("warnings", _("This must be a JSON list.")) from error
    if value in (None, ""):
        return []
    if not isinstance(value, list):
        raise RowError("warnings", _("This must be a list."))
    return value


def _time(row: Mapping[str, Any], name: str) -> datetime | None:
    text = _text(row, name)
    if not text:
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise RowError(name, _("This must be a time with its zone, such as 2026-01-31T09:30:00Z."))
    return moment.astimezone(UTC)
