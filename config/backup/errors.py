"""Why a backup was not made or not restored, as a sentence for the person at the terminal."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class BackupError(Exception):
    """The message says what is wrong and what to do; nothing was changed."""


@contextmanager
def said_of_files(path: Path, *, then: str) -> Iterator[None]:
    """Say in a sentence what the system refuses, of `path` where it names no other file."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BackupError(
            f"{error.filename or path} could not be read or written: {why}. {then}"
        ) from error


def require_space(folder: Path, needed: int, *, what: str) -> None:
    """Raise BackupError when the disk that holds `folder` has less than `needed` bytes free."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BackupError(
            f"{what} may need {megabytes(needed)} on the disk that holds {folder}, and "
            f"{free // 1_000_000:,} MB are free. Free some, or choose a place on another disk."
        )


def megabytes(count: int) -> str:
    return f"{-(-count // 1_000_000):,} MB"
