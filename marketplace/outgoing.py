"""Every request that the marketplace makes to others: a POST of JSON to a notification address.

Addresses on a private network are refused unless their host is listed in the setting
MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS. The connection goes to the very address that was checked.
"""

import http.client
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from marketplace import limits

TIMEOUT_SECONDS = 5.0
# The IPv6 addresses of the internet, and those through which an IPv6 network reaches IPv4.
UNICAST = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# sqs.us-east-1.amazonaws.com, and as it was once called.
QUEUE = re.compile(r"(^|[.])(sqs|queue)([.][a-z0-9-]+)*[.]amazonaws[.]com([.]cn)?$")


class NotDelivered(Exception):
    """The other side answered, but not with success."""


class Unreachable(NotDelivered):
    """There was no answer, or there is no such place to ask."""


def post_json(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Redirects are not followed. Raises Unreachable or NotDelivered with a sentence."""
    parts = split_address(url)
    connection = _connection(parts)
    target = parts.path or "/"
    if parts.query:
        target += f"?{parts.query}"
    try:
        connection.sock = _connect(parts)
        connection.request("POST", target, body, {"Content-Type": "application/json", **headers})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"No answer from {parts.hostname}: {error}") from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise NotDelivered(f"{parts.hostname} answered with status {status}.")


def split_address(url: str) -> SplitResult:
    """Raises Unreachable when it is no http(s) address."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise Unreachable("It is not an http or https address.") from error
    if not is_usable or not url.isascii() or not url.isprintable() or " " in url:
        raise Unreachable("It is not an http or https address.")
    return parts


def refuse_hopeless(url: str) -> None:
    """Raises Unreachable of an address that can never be told anything, as seen without asking."""
    host = split_address(url).hostname or ""
    if QUEUE.search(host):
        raise Unreachable("It is an SQS queue. Name an address that takes a POST of JSON.")
    if any(not _is_allowed(host, address) for address in _written_out(host)):
        raise Unreachable(
            "It is on a private network. Whoever runs this marketplace can allow its host in "
            "MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS."
        )


def _written_out(host: str) -> list[str]:
    """The IP address that the host is, however it is spelt; none of a name that has to be asked."""
    if host == "localhost" or host.endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return [str(address[0]) for *_, address in found]


def _connection(parts: SplitResult) -> http.client.HTTPConnection:
    # The class only decides the Host header's default port; the socket is made in _connect.
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=TIMEOUT_SECONDS)
    return http.client.HTTPConnection(host, parts.port, timeout=TIMEOUT_SECONDS)


def _connect(parts: SplitResult) -> socket.socket:
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    error: OSError = OSError("no address")
    for *_, address in found:
        if not _is_allowed(host, str(address[0])):
            raise OSError("the address is on a private network that is not allowed")
        try:
            raw = socket.create_connection((str(address[0]), port), timeout=TIMEOUT_SECONDS)
        except OSError as failure:
            error = failure
            continue
        if parts.scheme == "http":
            return raw
        return ssl.create_default_context().wrap_socket(raw, server_hostname=host)
    raise error


def _is_allowed(host: str, address: str) -> bool:
    return host in limits.PRIVATE_NOTIFICATION_HOSTS or is_public(address)


def is_public(address: str) -> bool:
    """Whether it is everybody's internet, also for an IPv6 address that stands for an IPv4 one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv4Address):
        return ip.is_global and not ip.is_multicast
    if ip in NAT64:
        return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    stands_for = ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1])
    if stands_for:
        return is_public(str(stands_for))
    return ip.is_global and ip in UNICAST
