"""HTTP as bare as it goes: one connection a request, no redirect is followed."""

import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

TIMEOUT_SECONDS = 120


@dataclass(frozen=True)
class Reply:
    status: int
    location: str
    text: str
    seconds: float


def send(
    address: str,
    *,
    fields: Mapping[str, object] | None = None,
    cookies: dict[str, str] | None = None,
) -> Reply:
    """GET the address, or POST the fields to it."""
    parts = urlsplit(address)
    assert parts.hostname
    headers = {"Referer": address}
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    body = None
    if fields is not None:
        body = urlencode(fields, doseq=True)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    started = time.perf_counter()
    connection = http.client.HTTPConnection(
        parts.hostname, parts.port or 80, timeout=TIMEOUT_SECONDS
    )
    try:
        connection.request("POST" if body is not None else "GET", path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        seconds = time.perf_counter() - started
        return Reply(response.status, response.headers.get("Location", ""), text, seconds)
    finally:
        connection.close()
