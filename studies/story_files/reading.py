"""Read a story file as a stream: every story once, everything that is wrong named."""

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import BinaryIO

from django.utils.translation import gettext as _

from studies.story_files.accepting import Gate
from studies.story_files.decoding import (
    UTF_8,
    Encoding,
    UnreadableText,
    detect_encoding,
    find_bad_byte,
    open_text,
)
from studies.story_files.formats import (
    AUTO,
    FORMAT_NAMES,
    RECORD_FORMATS,
    TABLE_FORMATS,
    RecordFormat,
    TableFormat,
)
from studies.story_files.json_lines import check_text_fields, read_records
from studies.story_files.recognising import recognise_records, recognise_table
from studies.story_files.results import Findings, ParsedStory, ParseReport
from studies.story_files.tables import Table, column_key, judge_delimiter, row_of_line


class StoryReading:
    """Iterate for the stories, then ask for the `report`.

    Reading goes on after a problem to name more of them; a file whose report is not `ok` must not
    be stored, whatever stories came out of it.
    """

    def __init__(self, stream: BinaryIO, *, name: str, format: str = AUTO) -> None:
        if format not in FORMAT_NAMES:
            raise ValueError(f"Unknown format {format!r}; known: {', '.join(FORMAT_NAMES)}.")
        self.stream = stream
        self.name = name
        self.format = format
        self.encoding: Encoding = UTF_8
        self.delimiter = ""
        self.rows = 0
        self.findings = Findings()
        self.gate = Gate(self.findings)
        self.unused: dict[str, None] = {}

    def __iter__(self) -> Iterator[ParsedStory]:
        try:
            self.encoding = detect_encoding(self.stream)
        except UnreadableText as error:
            self.findings.problem("encoding", str(error))
            return
        text = open_text(self.stream, self.encoding)
        bad_byte = False
        try:
            yield from self._stories(text)
        except UnicodeDecodeError:
            bad_byte = True
        finally:
            text.detach()
        if bad_byte:
            self._report_bad_byte()
        elif not self.rows and not self.findings.problem_count:
            self.findings.problem("no_stories", _("There are no stories in this file."))

    def report(self) -> ParseReport:
        findings = self.findings
        return ParseReport(
            file=self.name,
            format=self.format,
            encoding=self.encoding.label,
            delimiter=self.delimiter,
            rows=self.rows,
            stories=len(self.gate.seen),
            repeated_rows=self.gate.repeated_rows,
            lengths=dict(sorted(findings.lengths.items())),
            unused_fields=tuple(self.unused),
            notices=tuple(findings.notices),
            notice_count=findings.notice_count,
            problems=tuple(findings.problems),
            problem_count=findings.problem_count,
        )

    def _stories(self, text: Iterable[str]) -> Iterator[ParsedStory]:
        lines = iter(text)
        peeked: list[str] = []
        for line in lines:
            peeked.append(line)
            if line.strip():
                break
        else:
            return
        table_format = next((f for f in TABLE_FORMATS if f.name == self.format), None)
        record_format = next((f for f in RECORD_FORMATS if f.name == self.format), None)
        if record_format or (self.format == AUTO and peeked[-1].lstrip()[0] in "{["):
            yield from self._record_stories(chain(peeked, lines), record_format)
        else:
            yield from self._table_stories(chain(peeked, lines), peeked[-1], table_format)

    def _table_stories(
        self, lines: Iterable[str], first_line: str, table_format: TableFormat | None
    ) -> Iterator[ParsedStory]:
        known = [table_format] if table_format else list(TABLE_FORMATS)
        self.delimiter = judge_delimiter(first_line, (n for f in known for n in f.names()))
        table = Table(lines, delimiter=self.delimiter, findings=self.findings)
        columns = [column_key(name) for name in table.read_header()]
        if self.findings.problem_count:
            return
        table_format = table_format or recognise_table(columns, self.findings, table.rows)
        if table_format is None:
            return
        self.format = table_format.name
        needed = table_format.columns_needed(columns)
        if not table.check_columns(columns, needed, advice=table_format.needs):
            return
        places = [columns.index(name) for name in needed]
        names = [table.column_name(place) for place in places]
        used = set(places)
        self.unused = dict.fromkeys(
            table.column_name(place) for place in range(len(columns)) if place not in used
        )
        cells_of = itemgetter(*places)
        for row in table:
            self.rows += 1
            draft = table_format.draft(cells_of(row.cells), names)
            if story := self.gate.accept(draft, row.number, row.line):
                yield story

    def _record_stories(
        self, lines: Iterator[str], record_format: RecordFormat | None
    ) -> Iterator[ParsedStory]:
        if record_format is None:
            peeked: list[str] = []
            record_format = recognise_records(lines, peeked, self.findings)
            lines = chain(peeked, lines)
        if record_format is None:
            return
        self.format = record_format.name
        known = set(record_format.fields)
        for row, record in read_records(lines, self.findings):
            self.rows += 1
            if not known.issuperset(record):
                self.unused |= dict.fromkeys(name for name in record if name not in known)
                known.update(record)
            if not check_text_fields(record, record_format.fields, row, self.findings):
                continue
            if story := self.gate.accept(record_format.compose(record), row, row):
                yield story

    def _report_bad_byte(self) -> None:
        bad = find_bad_byte(self.stream, self.encoding)
        lenient = open_text(self.stream, self.encoding, errors="replace")
        first_line = lenient.readline()
        row = bad.line
        if not first_line.lstrip().startswith(("{", "[")):
            delimiter = judge_delimiter(first_line, (n for f in TABLE_FORMATS for n in f.names()))
            row = row_of_line(chain([first_line], lenient), bad.line, delimiter)
        lenient.detach()
        self.findings.problem("encoding", bad.message(self.encoding), row=row, line=bad.line)
