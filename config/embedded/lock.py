"""Advisory file locks. The kernel drops them when the last holder is gone, however it went."""

import fcntl
import os
import time
from pathlib import Path

INTERVAL = 0.05


def open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def try_exclusive(fd: int) -> bool:
    return _try(fd, fcntl.LOCK_EX)


def try_shared(fd: int) -> bool:
    return _try(fd, fcntl.LOCK_SH)


def is_current(fd: int, path: Path) -> bool:
    """Tell whether `path` still names the file behind `fd` (not deleted or replaced meanwhile)."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def take(path: Path, *, shared: bool, seconds: float) -> int | None:
    """Return a descriptor that holds the lock, or None when `seconds` were not enough."""
    deadline = time.monotonic() + seconds
    while True:
        fd = open_lock(path)
        while is_current(fd, path):
            if try_shared(fd) if shared else try_exclusive(fd):
                if is_current(fd, path):
                    return fd
                break
            if time.monotonic() >= deadline:
                os.close(fd)
                return None
            time.sleep(INTERVAL)
        os.close(fd)


def _try(fd: int, operation: int) -> bool:
    try:
        fcntl.flock(fd, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
