"""Where the web processes of one gunicorn keep their counts, each in a file, to be added up.

In memory where the system has such a place: a write into a file on a disk that is full would end
the process, and the data folder may be another host's.
"""

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
PREFIX = "fabula-metrics-"
IN_MEMORY = Path("/dev/shm")
# A folder may be looked at between its making and its locking.
YOUNG_SECONDS = 60


def make_folder() -> Path:
    """Return a new folder, held until the last process that inherits it from this one ends."""
    base = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    for folder in base.glob(f"{PREFIX}*"):
        _remove_if_left(folder)
    made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    fcntl.flock(os.open(made, os.O_RDONLY), fcntl.LOCK_EX)
    return made


def leave_folder() -> None:
    """Count for nothing: this process answers nobody, those that it starts do."""
    for file in Path(os.environ[VARIABLE]).glob(f"*_{os.getpid()}.db"):
        file.unlink()


def _remove_if_left(folder: Path) -> None:
    """Remove what killed processes have left; another user's, and one in use, stay."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if time.time() - os.fstat(held).st_mtime > YOUNG_SECONDS:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    except OSError:
        return
    finally:
        os.close(held)
