"""Rows to a CSV file, some hundred at a time and column by column: most columns hold nothing that
must be quoted or made harmless, and one look at all their cells together tells."""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Any

import orjson

from studies import spreadsheet_cells

Layout = tuple[str, ...]
ROWS_AT_ONCE = 500
# Bytes that go to the disk at once; a call to the system for every few rows costs more than they.
BUFFER = 2**18
# A cell as `table_lines` writes it, and what ends it.
_CELL = re.compile(r'("[^"]*(?:""[^"]*)*"|[^,"\r\n]*)(?:,|\r\n)')
_to_json = json.JSONEncoder(ensure_ascii=False).encode


def write_table(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    """Rows differ in their columns (longer stories have more), and all are known at the end alone.

    Until then lines are kept in a file, in pieces with columns of their own.
    """
    columns: list[str] = []
    pieces: list[tuple[Layout, int]] = []
    with tempfile.TemporaryFile(buffering=BUFFER) as spool:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            layout, cells = _columns_of(some, columns)
            lines = table_lines(cells).encode()
            pieces.append((layout, len(lines)))
            spool.write(lines)
        if columns:
            out.write(table_lines([[name] for name in columns]).encode())
        spool.seek(0)
        for layout, size in pieces:
            lines = spool.read(size)
            if list(layout) != columns:
                lines = _laid_out_anew(lines.decode(), layout, columns).encode()
            out.write(lines)


def table_lines(columns: Sequence[Sequence[Any]]) -> str:
    """CSV lines of the cells that each column has: text made harmless and quoted where it must be,
    lists as JSON."""
    return "\r\n".join(map(",".join, zip(*map(_cells, columns), strict=True))) + "\r\n"


def _columns_of(rows: list[dict[str, Any]], known: list[str]) -> tuple[Layout, list[Sequence[Any]]]:
    """The rows' columns, by name and with their cells; those not `known` yet are added there."""
    layouts = dict.fromkeys(map(tuple, rows))
    for layout in layouts:
        _add_columns(known, layout)
    if len(layouts) == 1:
        return next(iter(layouts)), list(zip(*(row.values() for row in rows), strict=True))
    return tuple(known), [[row.get(name) for row in rows] for name in known]


def _add_columns(columns: list[str], names: Layout) -> None:
    """Insert the new names behind the one they follow in their own row."""
    place = 0
    for name in names:
        if name in columns:
            place = columns.index(name) + 1
        else:
            columns.insert(place, name)
            place += 1


def _laid_out_anew(lines: str, layout: Layout, columns: list[str]) -> str:
    cells = _CELL.findall(lines)
    width = len(layout)
    present = {name: cells[place::width] for place, name in enumerate(layout)}
    absent = [""] * (len(cells) // width)
    in_order = zip(*(present.get(name, absent) for name in columns), strict=True)
    return "\r\n".join(map(",".join, in_order)) + "\r\n"


def _cells(values: Sequence[Any]) -> Sequence[str]:
    cells = values
    if set(map(type, values)) != {str}:
        # Moments, too, are written as in the other formats.
        plain = orjson.loads(orjson.dumps(values))
        cells = [value if type(value) is str else _as_text(value) for value in plain]
    if any(map(spreadsheet_cells.may_start_formula, {cell[:1] for cell in cells})):
        cells = [spreadsheet_cells.neutralise(cell) for cell in cells]
    every = "".join(cells)
    if "," in every or '"' in every or "\n" in every or "\r" in every:
        cells = [_quoted(cell) for cell in cells]
    return cells


def _quoted(cell: str) -> str:
    if "," in cell or '"' in cell or "\n" in cell or "\r" in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _as_text(value: Any) -> str:
    if type(value) is int:
        return str(value)
    return "" if value is None else _to_json(value)
