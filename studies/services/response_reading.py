"""Files of responses to rows of a task type, everything that is wrong named."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from studies import spreadsheet_cells, task_types
from studies.services.response_layout import (
    ENVELOPE,
    ENVELOPED,
    OWN,
    PUBLISHED,
    TABLE,
    Envelope,
    read_envelope,
)
from studies.story_files.decoding import (
    UnreadableText,
    detect_encoding,
    find_bad_byte,
    open_text,
)
from studies.story_files.json_lines import fault_within, read_records
from studies.story_files.results import Findings
from studies.story_files.tables import Table, judge_delimiter
from studies.task_types import ImportedRow, RowError, TaskType

AUTO = "auto"
FORMATS = (AUTO, PUBLISHED, OWN, TABLE)
PUBLISHED_FIELD = "AssignmentId"
LONGEST_LABEL = 100
NAMES_SHOWN = 300


@dataclass(frozen=True)
class ResponseRow:
    """One response of the file."""

    row: int
    task_type: TaskType
    content: ImportedRow
    envelope: Envelope


class AnotherLayout(Exception):
    """The first row lacks fields, as then all do; the text says which."""


class ResponseReading:
    """Iterate for the rows; what is wrong is in `findings`. Can be iterated again."""

    def __init__(self, source: BinaryIO, *, name: str, fmt: str = AUTO) -> None:
        self.source = source
        self.name = name
        self.fmt = fmt
        self.rows = 0
        self.findings = Findings()

    def __iter__(self) -> Iterator[ResponseRow]:
        self.rows = 0
        self.findings = Findings()
        try:
            encoding = detect_encoding(self.source)
        except UnreadableText as error:
            self.findings.problem("encoding", str(error))
            return
        text = open_text(self.source, encoding)
        bad_byte = False
        try:
            yield from self._responses(text)
        except UnicodeDecodeError:
            bad_byte = True
        finally:
            text.detach()
        if bad_byte:
            bad = find_bad_byte(self.source, encoding)
            self.findings.problem("encoding", bad.message(encoding), row=bad.line)
        elif not self.rows and not self.findings.problem_count:
            self.findings.problem("no_rows", _("There are no responses in this file."))

    def _responses(self, text: Iterable[str]) -> Iterator[ResponseRow]:
        lines = iter(text)
        peeked: list[str] = []
        for line in lines:
            peeked.append(line)
            if line.strip():
                break
        else:
            return
        is_table = not peeked[-1].lstrip().startswith(("{", "["))
        if self.fmt == AUTO and is_table:
            self.fmt = TABLE
        everything = chain(peeked, lines)
        records = (
            self._table_records(everything, peeked[-1])
            if self.fmt == TABLE
            else read_records(everything, self.findings)
        )
        for row, record in records:
            self.rows += 1
            if self.fmt == AUTO:
                self.fmt = PUBLISHED if PUBLISHED_FIELD in record else OWN
            try:
                yield self._response(row, record)
            except AnotherLayout as error:
                at = None if self.fmt == TABLE else row
                self.findings.problem("layout", str(error), row=at)
                return
            except RowError as error:
                self.findings.problem("row", error.message, row=row, column=error.field)

    def _table_records(
        self, lines: Iterable[str], first_line: str
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        delimiter = judge_delimiter(first_line, ENVELOPE)
        table = Table(lines, delimiter=delimiter, findings=self.findings)
        header = table.read_header()
        if self.findings.problem_count or not table.check_columns(header, header):
            return
        for row in table:
            yield (
                row.number,
                dict(zip(header, map(spreadsheet_cells.restore, row.cells), strict=True)),
            )

    def _response(self, row: int, record: Mapping[str, Any]) -> ResponseRow:
        for field, value in record.items():
            if fault := fault_within(value):
                raise RowError(field, fault)
        enveloped = self.fmt in ENVELOPED
        envelope = read_envelope(record if enveloped else {})
        task_type = self._task_type(envelope)
        envelope.check_version(record if enveloped else {}, task_type)
        own = {k: v for k, v in record.items() if not (enveloped and k in ENVELOPE)}
        if self.rows == 1:
            self._check_layout(own, task_type.needed_fields(self.fmt))
        content = task_type.import_row(self.fmt, own)
        if not content.label.strip() or len(content.label) > LONGEST_LABEL:
            raise RowError(
                "AssignmentId" if self.fmt == PUBLISHED else "assignment_id",
                _("This must have 1 to %(limit)d characters.") % {"limit": LONGEST_LABEL},
            )
        return ResponseRow(row, task_type, content, envelope)

    def _check_layout(self, record: Mapping[str, Any], needed: Iterable[str]) -> None:
        """Raises AnotherLayout."""
        if missing := [field for field in needed if field not in record]:
            raise AnotherLayout(
                _(
                    "The layout %(format)s needs fields that are missing here: %(missing)s. The"
                    " fields here are: %(found)s."
                )
                % {
                    "format": self.fmt,
                    "missing": ", ".join(missing),
                    "found": ", ".join(record)[:NAMES_SHOWN],
                }
            )

    def _task_type(self, envelope: Envelope) -> TaskType:
        """The one the row names, else the one that knows the format."""
        able = [t for t in task_types.all_types() if self.fmt in t.export_formats]
        if envelope.task_type:
            able = [t for t in able if t.slug == envelope.task_type]
        if len(able) != 1:
            raise RowError(
                "task_type",
                _("There is no task type “%(slug)s” here that reads %(format)s.")
                % {"slug": envelope.task_type, "format": self.fmt},
            )
        return able[0]


def fingerprint(item: Mapping[str, Any]) -> str:
    """Equal for equal items, whatever the order of their keys."""
    return json.dumps(item, sort_keys=True, ensure_ascii=False)
