"""Folders that have their name only when they are whole."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.utils.translation import gettext as _

from studies.services.response_writing import CannotWrite


@contextmanager
def whole_folder(folder: Path, *, force: bool) -> Iterator[Path]:
    """A folder beside `folder` that takes its name at the end, or is removed. Raises CannotWrite.

    With `force` one that is there gives way, in the moment in which the new one is whole.
    """
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    try:
        part.mkdir()
        yield part
        for file in part.iterdir():
            _to_disk(file)
        _take_place(part, folder, force=force)
        _to_disk(folder.parent)
    except OSError as error:
        raise CannotWrite(
            _("%(file)s cannot be written: %(reason)s.")
            % {"file": folder, "reason": error.strerror or error}
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _take_place(part: Path, folder: Path, *, force: bool) -> None:
    if not folder.exists():
        part.rename(folder)
        return
    if not force:
        raise CannotWrite(_("%(file)s appeared meanwhile.") % {"file": folder})
    old = part.with_suffix(".old")
    folder.rename(old)
    try:
        part.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
