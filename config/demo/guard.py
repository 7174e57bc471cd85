"""Ends the process groups that its starter leaves behind, whatever became of the starter.

Run as a script, with the standard library alone. Standard input names process groups, one a line:
"+PGID" to watch, "-PGID" to forget. When it closes, because the starter ended or was killed, the
groups still watched are asked to stop, and killed after a few seconds.
"""

import os
import signal
import sys
import time

PATIENCE_SECONDS = 8.0
ASK_NOTHING = 0


def watched_at_the_end() -> set[int]:
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        groups = groups | {group} if line[0] == "+" else groups - {group}
    return groups


def signal_groups(groups: set[int], number: int) -> set[int]:
    """Signal the groups; return those that still exist."""
    alive = set()
    for group in groups:
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            continue
        alive.add(group)
    return alive


def main() -> None:
    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, signal.SIG_IGN)
    groups = signal_groups(watched_at_the_end(), signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while groups and time.monotonic() < deadline:
        time.sleep(0.1)
        groups = signal_groups(groups, ASK_NOTHING)
    signal_groups(groups, signal.SIGKILL)


if __name__ == "__main__":
    main()
