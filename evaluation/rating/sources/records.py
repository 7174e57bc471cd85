"""A JSONL or CSV file as records, one line or row at a time."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from evaluation.strict_json import BadJson, read_json
from studies import spreadsheet_cells
from studies.story_files.decoding import (
    UnreadableText,
    detect_encoding,
    find_bad_byte,
    open_text,
)
from studies.story_files.json_lines import fault_within, read_records
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
        if fault := fault_within(record):
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
        except BadJson as error:
            message = _("A cell that begins with [ or holds a gold answer: %(why)s") % {
                "why": error
            }
            findings.problem("not_json", message, row=row.number)


def _record(cells: Iterable[tuple[str, str]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    for name, cell in cells:
        if name.startswith(f"{GOLD}."):
            if cell.strip():
                gold[name.removeprefix(f"{GOLD}.")] = _gold(cell.strip())
        elif cell:
            record[name] = read_json(cell) if cell.startswith("[") else cell
    return record | ({GOLD: gold} if gold else {})


def _gold(cell: str) -> Any:
    """A word is one as it stands, and need not be JSON."""
    return cell if cell[0].isalpha() else read_json(cell)
