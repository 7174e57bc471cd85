"""Addresses for the processes that tests start."""

import errno
import os
import random
import socket
from urllib.parse import urlsplit, urlunsplit

# The number of this process among those of a run.
PROCESS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
# Below those that the system hands out: whatever takes one of these meanwhile would answer in the
# place of what has to start there.
PORTS = range(12_000 + 1000 * PROCESS, 13_000 + 1000 * PROCESS)


def free_port() -> int:
    """Return a port that nothing listens on, on either of the loopback's addresses."""
    order = random.SystemRandom().sample(PORTS, len(PORTS))
    return next(port for port in order if _is_free(port))


def _is_free(port: int) -> bool:
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as probe:
            try:
                probe.bind((host, port))
            except OSError as error:
                # Where the machine has no such address, nothing listens on it.
                if error.errno == errno.EADDRINUSE:
                    return False
    return True


def with_path(url: str, path: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=path))


def with_database(url: str, number: int) -> str:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return urlunsplit(parts._replace(query=f"db={number}"))
    return urlunsplit(parts._replace(path=f"/{number}"))
