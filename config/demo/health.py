"""Waiting until the site answers."""

import http.client

ANSWER_SECONDS = 60.0


def answers(port: int, *, host: str = "127.0.0.1", path: str = "/worker/") -> bool:
    """Tell whether the site gives a page (or sends us to one) rather than an error of its own."""
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
