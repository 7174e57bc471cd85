"""HTTP as bare as it goes: what asks shares the processor with what is measured. Connections are
kept as browsers keep them, no redirect is followed."""

import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

TIMEOUT_SECONDS = 120
# A server closes a connection that was quiet; shorter than gunicorn's two seconds.
QUIET_SECONDS = 1.0
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
LOCATION = re.compile(rb"\r\nlocation: *([^\r]*)\r\n", re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    status: int
    location: str
    text: str
    seconds: float


class Browser:
    """One connection to each host. Not for two threads at once."""

    def __init__(self, cookies: Mapping[str, str]) -> None:
        self._cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self._open: dict[str, tuple[socket.socket, float]] = {}

    def get(self, address: str, *, signed_in: bool = True) -> Reply:
        return self._send("GET", address, "", signed_in)

    def post(self, address: str, fields: Mapping[str, object], *, signed_in: bool = True) -> Reply:
        return self._send("POST", address, urlencode(fields, doseq=True), signed_in)

    def _send(self, method: str, address: str, body: str, signed_in: bool) -> Reply:
        host, _slash, path = address.removeprefix("http://").partition("/")
        lines = [f"{method} /{path} HTTP/1.1", f"Host: {host}", f"Referer: {address}"]
        if signed_in:
            lines.append(f"Cookie: {self._cookie}")
        if method == "POST":
            lines.append("Content-Type: application/x-www-form-urlencoded")
            lines.append(f"Content-Length: {len(body)}")
        request = "\r\n".join([*lines, "", body]).encode()
        started = time.perf_counter()
        connection = self._connection(host, started)
        connection.sendall(request)
        head, text = _receive(connection)
        ended = time.perf_counter()
        self._open[host] = (connection, ended)
        location = LOCATION.search(head)
        status = int(head.split(b" ", 2)[1])
        where = location.group(1).decode() if location else ""
        return Reply(status, where, text.decode(), ended - started)

    def _connection(self, host: str, now: float) -> socket.socket:
        if host in self._open:
            connection, last = self._open[host]
            if now - last < QUIET_SECONDS:
                return connection
            connection.close()
        name, _colon, port = host.partition(":")
        made = socket.create_connection((name, int(port)), timeout=TIMEOUT_SECONDS)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made


def _receive(connection: socket.socket) -> tuple[bytes, bytes]:
    """The head of an answer and its body, which says how long it is."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    head, _empty, body = data.partition(b"\r\n\r\n")
    head += b"\r\n"
    length = LENGTH.search(head)
    if length is None:
        raise ConnectionError(f"an answer of unknown length: {head!r}")
    parts, missing = [body], int(length.group(1)) - len(body)
    while missing > 0:
        parts.append(_more(connection))
        missing -= len(parts[-1])
    return head, b"".join(parts)


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionError("the connection was closed in the middle of an answer")
    return data
