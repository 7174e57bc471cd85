"""How long a process holds a job without a sign of life, by the database's clock."""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.models.functions import Now

from studies.models import Job, JobState

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
HEARTBEAT_SECONDS = 15.0


@contextmanager
def heartbeat(job_id: int, token: uuid.UUID) -> Iterator[None]:
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(HEARTBEAT_SECONDS):
            try:
                Job.objects.filter(pk=job_id, lease_token=token, state=JobState.RUNNING).update(
                    lease_until=Now() + LEASE
                )
            except DatabaseError as error:
                logger.warning("the lease of job %s is not renewed yet: %s", job_id, error)
            finally:
                connection.close()

    thread = threading.Thread(target=beat, name=f"job-{job_id}-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
