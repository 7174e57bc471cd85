"""Rows to bytes, and files that have their name only when they are whole."""

import csv
import io
import marshal
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.utils.translation import gettext as _

from studies.services.response_layout import (
    PUBLISHED,
    TABLE,
    dump_own,
    dump_published,
    table_cells,
)

RowWriter = Callable[[IO[bytes], Iterator[dict[str, Any]]], None]


class CannotWrite(Exception):
    """The file cannot be written; the text says why. Nothing of it is left."""


def row_writer(fmt: str) -> RowWriter:
    """What writes the rows of a format."""
    if fmt == TABLE:
        return _write_table
    return _write_published if fmt == PUBLISHED else _write_own


def _write_published(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    out.writelines(f"{dump_published(row)}\n".encode() for row in rows)


def _write_own(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    out.writelines(f"{dump_own(row)}\n".encode() for row in rows)


def _write_table(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    """Rows differ in their columns (longer stories have more), so they are written down twice.

    The first time with a number that says which columns they have.
    """
    columns: list[str] = []
    shapes: dict[tuple[str, ...], int] = {}
    count = 0
    with tempfile.TemporaryFile() as spool:
        for row in rows:
            names = tuple(row)
            if names not in shapes:
                shapes[names] = len(shapes)
                _add_columns(columns, list(names))
            marshal.dump((shapes[names], table_cells(row)), spool)
            count += 1
        if columns:
            places = [[columns.index(name) for name in names] for names in shapes]
            spool.seek(0)
            _write_cells(out, columns, places, spool, count)


def _write_cells(
    out: IO[bytes], columns: list[str], places: list[list[int]], spool: IO[bytes], count: int
) -> None:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    for _row in range(count):
        shape, cells = marshal.load(spool)
        line = [""] * len(columns)
        for place, cell in zip(places[shape], cells, strict=True):
            line[place] = cell
        writer.writerow(line)
    text.detach()


def _add_columns(columns: list[str], names: list[str]) -> None:
    """Insert the new names behind the one they follow in their own row."""
    place = 0
    for name in names:
        if name in columns:
            place = columns.index(name) + 1
        else:
            columns.insert(place, name)
            place += 1


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its name at the end, or is removed."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if path.exists() and not force:
            raise CannotWrite(_("%(file)s appeared meanwhile.") % {"file": path})
        part.replace(path)
    except OSError as error:
        raise CannotWrite(
            _("%(file)s cannot be written: %(reason)s.") % {"file": path, "reason": error.strerror}
        ) from error
    finally:
        part.unlink(missing_ok=True)
