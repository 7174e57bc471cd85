"""One at a time, across all processes; a lock goes with the process that held it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from studies.jobs import JobLater


@contextmanager
def alone(space: int, key: int, *, otherwise: str) -> Iterator[None]:
    """Let one job at a time at it. Raises JobLater, which says `otherwise`, while another is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [space, key])
        row = cursor.fetchone()
        if row is None or not row[0]:
            raise JobLater(otherwise, seconds=3)
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [space, key])
