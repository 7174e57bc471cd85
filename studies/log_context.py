"""What a line in the log belongs to: the request that began it, and the job it is said in."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
# Where the id stands on a request, for what is said of it when its context is over.
REQUEST_ID = "fabula_request_id"
# Where the audit log finds, on a request, what else to keep of it.
AUDIT_DETAIL = "audit_detail"
job_id: ContextVar[int | None] = ContextVar("job_id", default=None)


@contextmanager
def within_job(number: int) -> Iterator[None]:
    token = job_id.set(number)
    try:
        yield
    finally:
        job_id.reset(token)
