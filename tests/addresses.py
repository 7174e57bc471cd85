"""Addresses for the processes that tests start."""

import errno
import socket
from urllib.parse import urlsplit, urlunsplit


def free_port() -> int:
    """Return a port that nothing listens on, on either of the loopback's addresses."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind(("::1", port))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    continue
        return port


def with_path(url: str, path: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=path))


def with_database(url: str, number: int) -> str:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return urlunsplit(parts._replace(query=f"db={number}"))
    return urlunsplit(parts._replace(path=f"/{number}"))
