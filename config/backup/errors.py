"""Why a backup was not made or not restored, as a sentence for the person at the terminal."""

import shutil
from pathlib import Path


class BackupError(Exception):
    """The message says what is wrong and what to do; nothing was changed."""


def require_space(folder: Path, needed: int, *, what: str) -> None:
    """Raise BackupError when the disk that holds `folder` has less than `needed` bytes free."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BackupError(
            f"{what} may need {megabytes(needed)} on the disk that holds {folder}, and "
            f"{megabytes(free)} are free. Free some, or choose a place on another disk."
        )


def megabytes(count: int) -> str:
    return f"{-(-count // 1_000_000):,} MB"
