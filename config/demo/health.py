"""Waiting until the site is ready."""

import http.client

ANSWER_SECONDS = 60.0


def answers(port: int, *, host: str = "127.0.0.1", path: str = "/readyz") -> bool:
    """Tell whether the site is ready: it, its database with all migrations, and its broker."""
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
