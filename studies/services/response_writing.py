"""Rows to bytes, and files that have their name only when they are whole."""

import os
import secrets
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
)
from studies.services.response_table import BUFFER, write_table

RowWriter = Callable[[IO[bytes], Iterator[dict[str, Any]]], None]


class CannotWrite(Exception):
    """The file cannot be written; the text says why. Nothing of it is left."""


def row_writer(fmt: str) -> RowWriter:
    """What writes the rows of a format."""
    if fmt == TABLE:
        return write_table
    return _write_published if fmt == PUBLISHED else _write_own


def _write_published(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    out.writelines(dump_published(row) + b"\n" for row in rows)


def _write_own(out: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    out.writelines(dump_own(row) + b"\n" for row in rows)


def require_place(path: Path, *, force: bool) -> None:
    """Raises CannotWrite where nothing may be put at `path`. What is no plain file, such as
    /dev/stdout, is never replaced."""
    with _said(path):
        there = path.exists()
        if there and not path.is_file():
            raise CannotWrite(_("%(file)s is no plain file: name another.") % {"file": path})
    if there and not force:
        raise CannotWrite(_("%(file)s exists already. Use --force to replace it.") % {"file": path})


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its name at the end, or is removed."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with _said(path), part.open("xb", buffering=BUFFER) as out:
        try:
            yield out
            out.flush()
            os.fsync(out.fileno())
            require_place(path, force=force)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotWrite(
            _("%(file)s cannot be written: %(reason)s.") % {"file": path, "reason": error.strerror}
        ) from error
