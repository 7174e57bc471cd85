"""A JSONL or CSV file as records, one line or row at a time."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from studies import spreadsheet_cells
from studies.story_files.decoding import (
    UnreadableText,
    detect_encoding,
    find_bad_byte,
    open_text,
)
from studies.story_files.json_lines import read_records, text_fault
from studies.story_files.results import Findings
from studies.story_files.tables import Table, judge_delimiter

GOLD = "gold"
Rows = Iterator[tuple[int, dict[str, Any]]]


def read_rows(source: BinaryIO, *, columns: Iterable[str], findings: Findings) -> Rows:
    """What is wrong goes to `findings`. A cell that begins with [ is a list in JSON; columns
    `gold.<question>` are one object."""
    try:
        encoding = detect_encoding(source)
    except UnreadableText as error:
        findings.problem("encoding", str(error))
        return
    text = open_text(source, encoding)
    bad_byte = False
    try:
        yield from _rows(text, columns, findings)
    except UnicodeDecodeError:
        bad_byte = True
    finally:
        text.detach()
    if bad_byte:
        bad = find_bad_byte(source, encoding)
        findings.problem("encoding", bad.message(encoding), row=bad.line)


def _rows(text: Iterable[str], columns: Iterable[str], findings: Findings) -> Rows:
    lines = iter(text)
    first = next((line for line in lines if line.strip()), "")
    everything = chain([first], lines)
    if first.lstrip().startswith("{"):
        found: Rows = iter(read_records(everything, findings))
    else:
        found = _table(everything, judge_delimiter(first, columns), findings)
    for row, record in found:
        if fault := _fault_within(record):
            findings.problem("text", fault, row=row)
        else:
            yield row, record


def _table(lines: Iterable[str], delimiter: str, findings: Findings) -> Rows:
    table = Table(lines, delimiter=delimiter, findings=findings)
    header = [name.strip() for name in table.read_header()]
    if findings.problem_count or not table.check_columns(header, header):
        return
    for row in table:
        cells = map(spreadsheet_cells.restore, row.cells)
        try:
            yield row.number, _record(zip(header, cells, strict=True))
        except ValueError:
            message = _("A cell begins with [ or holds a gold answer, and is not JSON.")
            findings.problem("not_json", message, row=row.number)


def _record(cells: Iterable[tuple[str, str]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    for name, cell in cells:
        if name.startswith(f"{GOLD}."):
            if cell.strip():
                gold[name.removeprefix(f"{GOLD}.")] = json.loads(cell)
        elif cell:
            record[name] = json.loads(cell) if cell.startswith("[") else cell
    return record | ({GOLD: gold} if gold else {})


def _fault_within(value: Any) -> str:
    if isinstance(value, str):
        fault = text_fault(value)
        return fault[1] if fault else ""
    if isinstance(value, dict):
        return _fault_within([*value, *value.values()])
    if isinstance(value, list):
        return next(filter(None, map(_fault_within, value)), "")
    return ""
