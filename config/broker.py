"""Celery's spelling of the broker's address."""

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit


def broker_url(redis_url: str) -> str:
    """Return the address as kombu reads it; it differs for sockets only.

    `unix://:password@/path?db=3` (redis-py) is `redis+socket://:password@/path?virtual_host=3`.
    """
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    query = dict(parse_qsl(parts.query))
    query["virtual_host"] = query.pop("db", "0")
    return urlunsplit(("redis+socket", parts.netloc, parts.path, urlencode(query), ""))
