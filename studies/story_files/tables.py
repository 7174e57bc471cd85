"""Comma-, semicolon- or tab-separated tables, read strictly and named to the cell."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.story_files.results import Findings

CELL_LIMIT = 131_072
DELIMITERS = (",", ";", "\t")


class Row(NamedTuple):
    """`number` as a spreadsheet counts (the header is 1), `line` where it starts in the file."""

    number: int
    line: int
    cells: list[str]


@dataclass(frozen=True)
class BrokenRow:
    """Where a row stops being readable: the kind of fault and the cell (from 0) it is in."""

    kind: str
    cell: int


def judge_delimiter(first_line: str, known: Iterable[str]) -> str:
    """The delimiter under which the header shows most known column names, then most columns."""
    names = set(known)

    def rank(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([first_line], delimiter=delimiter), [])
        return sum(column_key(cell) in names for cell in cells), len(cells)

    return max(DELIMITERS, key=rank)


def column_key(name: str) -> str:
    """Column names are compared without case and surrounding space."""
    return name.strip().casefold()


class Table:
    """The rows of a file. Faults of form go to `findings`; one that swallows rows ends it."""

    def __init__(self, lines: Iterable[str], *, delimiter: str, findings: Findings) -> None:
        self.delimiter = delimiter
        self.findings = findings
        self.header: list[str] = []
        self.rows = 0
        self._pending: list[str] = []
        self._reader = csv.reader(self._watch(lines), delimiter=delimiter, strict=True)

    def read_header(self) -> list[str]:
        """The first row. Empty when the file is."""
        for row in self._records():
            if row.cells:
                self.header = row.cells
                break
        while self.header and not self.header[-1].strip():
            self.header.pop()
        return self.header

    def __iter__(self) -> Iterator[Row]:
        width = len(self.header)
        for row in self._records():
            if (len(row.cells) == width or self._fits(row, width)) and any(row.cells):
                yield row

    def check_columns(
        self, columns: list[str], needed: Iterable[str], *, advice: object = ""
    ) -> bool:
        """Whether each needed column is there once; `columns` is the header as compared.

        `advice` is told beside the first that is missing.
        """
        good = True
        for name in needed:
            if (count := columns.count(name)) != 1:
                good = False
                code = "column_twice" if count else "missing_column"
                message = (
                    _("There is more than one column of this name.")
                    if count
                    else _("This column is missing.")
                )
                if advice and not count:
                    message, advice = f"{message} {advice}", ""
                self.findings.problem(code, message, row=self.rows, column=name)
        return good

    def column_name(self, cell: int) -> str:
        name = self.header[cell] if cell < len(self.header) else ""
        return name.strip() or str(cell + 1)

    def _watch(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self._pending.append(line)
            yield line

    def _records(self) -> Iterator[Row]:
        while True:
            self._pending.clear()
            line = self._reader.line_num + 1
            try:
                cells = next(self._reader)
            except StopIteration:
                return
            except csv.Error:
                self.rows += 1
                self._report_broken(self.rows, line)
                if len(self._pending) > 1:
                    return
                continue
            self.rows += 1
            if self._holds_only_text(self.rows, line, cells):
                yield Row(self.rows, line, cells)

    def _fits(self, row: Row, width: int) -> bool:
        """Cut surplus empty cells (spreadsheets leave them); a row of another length is named."""
        if not any(row.cells):
            return False
        surplus = row.cells[width:]
        if surplus and not any(surplus):
            del row.cells[width:]
            return True
        self.findings.problem(
            "row_length",
            _("This row has %(cells)s, the header has %(columns)s.")
            % {
                "cells": ngettext("%(n)d cell", "%(n)d cells", len(row.cells))
                % {"n": len(row.cells)},
                "columns": width,
            },
            row=row.number,
            line=row.line,
        )
        return False

    def _holds_only_text(self, number: int, line: int, cells: list[str]) -> bool:
        read = self._pending[0] if len(self._pending) == 1 else "".join(self._pending)
        good = True
        if len(read) > CELL_LIMIT:
            for cell, text in enumerate(cells):
                if len(text) > CELL_LIMIT:
                    good = False
                    self._report(number, line, BrokenRow("too_long", cell))
        if "\0" in read:
            good = False
            cell = next((i for i, text in enumerate(cells) if "\0" in text), 0)
            self._report(number, line, BrokenRow("nul", cell))
        return good

    def _report_broken(self, number: int, line: int) -> None:
        self._report(number, line, diagnose("".join(self._pending), self.delimiter))
        if len(self._pending) > 1:
            self.findings.problem(
                "not_read_on",
                _("What follows row %(row)d was not read: where rows end is unclear.")
                % {"row": number},
            )

    def _report(self, number: int, line: int, fault: BrokenRow) -> None:
        limit = f"{CELL_LIMIT:,}"
        messages = {
            "unclosed": _("A quote is opened here and never closed."),
            "after_quote": _(
                "A cell that starts with a quote has text after the closing quote. Double the"
                ' quotes that belong to the text ("") and put one around the cell.'
            ),
            "too_long": _("This cell has more than %(limit)s characters, the limit.")
            % {"limit": limit},
            "unclosed_too_long": _(
                "This cell has more than %(limit)s characters, the limit; or the quote that opens"
                " it is never closed."
            )
            % {"limit": limit},
            "nul": _("A NUL character stands here. It cannot be stored."),
        }
        self.findings.problem(
            fault.kind,
            messages[fault.kind],
            row=number,
            line=line,
            column=self.column_name(fault.cell),
        )


def diagnose(record: str, delimiter: str) -> BrokenRow:
    """Find the cell of a record at which strict reading stops."""
    position = cell = 0
    while position < len(record):
        start = position
        if record[position] == '"':
            end = _closing_quote(record, position)
            if end < 0:
                too_long = len(record) - position > CELL_LIMIT
                return BrokenRow("unclosed_too_long" if too_long else "unclosed", cell)
            position = end + 1
            if record[position : position + 1] not in ("", delimiter, "\r", "\n"):
                return BrokenRow("after_quote", cell)
        else:
            next_delimiter = record.find(delimiter, position)
            position = next_delimiter if next_delimiter >= 0 else len(record)
        if position - start > CELL_LIMIT:
            return BrokenRow("too_long", cell)
        position += 1
        cell += 1
    return BrokenRow("after_quote", max(cell - 1, 0))


def row_of_line(lines: Iterable[str], line: int, delimiter: str) -> int:
    """The number of the row that a line of a damaged file belongs to, read leniently."""
    reader = csv.reader(lines, delimiter=delimiter)
    row = 0
    try:
        while reader.line_num < line and next(reader, None) is not None:
            row += 1
    except csv.Error:
        row += 1
    return row


def _closing_quote(record: str, opening: int) -> int:
    position = record.find('"', opening + 1)
    while position >= 0 and record[position + 1 : position + 2] == '"':
        position = record.find('"', position + 2)
    return position
