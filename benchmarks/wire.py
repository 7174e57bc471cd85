"""HTTP as bare as it goes: connections are kept as browsers keep them, no redirect is followed."""

import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

TIMEOUT_SECONDS = 120
# A server closes a connection that was quiet; shorter than gunicorn's two seconds.
QUIET_SECONDS = 1.0


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
        self._open: dict[str, tuple[http.client.HTTPConnection, float]] = {}

    def get(self, address: str, *, signed_in: bool = True) -> Reply:
        return self._send("GET", address, None, signed_in)

    def post(self, address: str, fields: Mapping[str, object], *, signed_in: bool = True) -> Reply:
        return self._send("POST", address, urlencode(fields, doseq=True), signed_in)

    def _send(self, method: str, address: str, body: str | None, signed_in: bool) -> Reply:
        parts = urlsplit(address)
        headers = {"Referer": address}
        if signed_in:
            headers["Cookie"] = self._cookie
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        started = time.perf_counter()
        connection = self._connection(parts.netloc, started)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        ended = time.perf_counter()
        self._open[parts.netloc] = (connection, ended)
        location = response.headers.get("Location", "")
        return Reply(response.status, location, text, ended - started)

    def _connection(self, host: str, now: float) -> http.client.HTTPConnection:
        connection, last = self._open.get(host, (None, 0.0))
        if connection is not None and now - last < QUIET_SECONDS:
            return connection
        if connection is not None:
            connection.close()
        return http.client.HTTPConnection(host, timeout=TIMEOUT_SECONDS)
