"""Rows to bytes, and files that have their name only when they are whole."""

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import orjson
from django.utils.translation import gettext as _

from studies.services.response_layout import (
    PUBLISHED,
    TABLE,
    dump_own,
    dump_published,
    dump_table,
)

RowWriter = Callable[[IO[bytes], Iterator[dict[str, Any]]], None]

# Bytes that go to the disk at once; a call to the system for every few rows costs more than they.
BUFFER = 2**18


class CannotWrite(Exception):
    """The file cannot be written; the text says why. Nothing of it is left."""


def row_writer(fmt: str) -> RowWriter:
    """What writes the rows of a format."""
    if fmt == TABLE:
        return _write_table
    return _write_published if fmt == PUBLISHED else _write_own


def _write_published(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    out.writelines(dump_published(row) + b"\n" for row in rows)


def _write_own(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    out.writelines(dump_own(row) + b"\n" for row in rows)


def _write_table(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    """Rows differ in their columns (longer stories have more), so they are written down twice.

    The first time as JSON, with a number that says which columns they have.
    """
    columns: list[str] = []
    shapes: dict[tuple[str, ...], int] = {}
    with tempfile.TemporaryFile(buffering=BUFFER) as spool:
        for row in rows:
            names = tuple(row)
            shape = shapes.get(names)
            if shape is None:
                shape = shapes[names] = len(shapes)
                _add_columns(columns, list(names))
            spool.write(orjson.dumps([shape, None, *row.values()]) + b"\n")
        if columns:
            spool.seek(0)
            out.writelines(_table_lines(columns, list(shapes), spool))


def _table_lines(
    columns: list[str], shapes: list[tuple[str, ...]], spool: IO[bytes]
) -> Iterator[bytes]:
    # In the spool a row's values follow its shape and a nothing, which the columns that it does
    # not have share.
    places = [[names.index(c) + 2 if c in names else 1 for c in columns] for names in shapes]
    in_order = [itemgetter(*row) for row in places]
    yield dump_table(columns)
    for line in spool:
        values = orjson.loads(line)
        yield dump_table(in_order[values[0]](values))


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
        with part.open("xb", buffering=BUFFER) as out:
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
