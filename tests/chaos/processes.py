"""Which processes belong to whom, read from /proc; none but our own are ever signalled."""

import os
import signal
from pathlib import Path

PROC = Path("/proc")


def command_of(pid: int) -> str:
    try:
        return (
            (PROC / str(pid) / "cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    except OSError:
        return ""


def parent_of(pid: int) -> int:
    """Return the parent's id, 0 when the process is gone."""
    try:
        stat = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def children_of(pid: int) -> list[int]:
    known = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    return sorted(one for one in known if parent_of(one) == pid)


def kill(pid: int, kind: signal.Signals = signal.SIGKILL) -> bool:
    """Signal one process; whether it was there."""
    try:
        os.kill(pid, kind)
    except ProcessLookupError:
        return False
    return True


def kill_group(pid: int) -> bool:
    """Kill a process that leads a group, and whatever it has started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
