"""Jobs: rows that a Celery worker (or a command, in its own process) claims and works off.

A claim is a conditional UPDATE that sets a lease, by the database's clock; `JobContext.progress`
and a heartbeat thread renew it. A message that the broker delivers twice finds nothing to claim.
`recover` puts rows whose lease has lapsed back in the queue, a bounded number of times.
"""

import logging
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import DataError, InterfaceError, OperationalError, connection
from django.db.models import F, Q
from django.db.models.functions import Least, Now
from django.db.transaction import atomic
from django.utils import timezone
from django.utils.translation import gettext as _

from studies import log_context
from studies.job_lease import LEASE, heartbeat
from studies.models import Job, JobState, Study
from studies.registering import load_registering
from studies.storable import storable

logger = logging.getLogger(__name__)

# Five kills in a row befall a job that did nothing to deserve them.
MAX_ATTEMPTS = 10
# So many count at most for a job that gets further each time: a long one may outlive many a kill.
ATTEMPTS_OF_PROGRESS = 2
DATABASE_RETRY_SECONDS = 5
OTHER_VERSION_SECONDS = 5
REPORT_EVERY_SECONDS = 0.5


class JobFailure(Exception):
    """The job cannot be done; the text is a sentence for the person who asked for it."""


class JobLater(Exception):
    """The job cannot go on now, for a stated reason; it is tried again after `seconds`."""

    def __init__(self, message: str, *, seconds: int = 30) -> None:
        super().__init__(message)
        self.seconds = seconds


class JobCancelled(Exception):
    """Somebody asked the job to stop."""


class LeaseLost(Exception):
    """Another process has taken the job over; this one must stop without touching the row."""


Handler = Callable[["JobContext"], None]
Watcher = Callable[[int, int | None, str], None]
_handlers: dict[str, Handler] = {}
_names: dict[str, Any] = {}


def handles(kind: str, *, name: Any = "") -> Callable[[Handler], Handler]:
    """Register what works off jobs of a kind, which pages call `name`."""

    def register(handler: Handler) -> Handler:
        if kind in _handlers:
            raise ValueError(f"Jobs of kind {kind} have a handler already.")
        _handlers[kind] = handler
        _names[kind] = name or kind
        return handler

    return register


def kinds() -> list[str]:
    load_registering()
    return sorted(_handlers)


def name_of(kind: str) -> str:
    """What people call jobs of a kind; one that nobody handles any more keeps its slug."""
    load_registering()
    return str(_names.get(kind, kind))


def create_job(
    *, kind: str, study: Study | None = None, payload: dict[str, Any], user: Any = None
) -> Job:
    """A queued row. The caller enqueues it (studies.tasks.start_job) or runs it (`run`)."""
    load_registering()
    if kind not in _handlers:
        raise ValueError(f"No handler for jobs of kind {kind}.")
    return Job.objects.create(kind=kind, study=study, payload=payload, requested_by=user)


class JobContext:
    """What a handler sees of its row."""

    def __init__(self, job: Job, token: uuid.UUID, watcher: Watcher | None = None) -> None:
        self.job = job
        self.token = token
        self.watcher = watcher
        self._last_report = 0.0
        self._furthest = job.done
        self._result: dict[str, Any] = dict(job.result)

    @property
    def payload(self) -> dict[str, Any]:
        return dict(self.job.payload)

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Report, renew the lease. Raises JobCancelled when asked to stop, LeaseLost when taken.

        Cheap to call for every row: at most one write in half a second.
        """
        if self.watcher is not None:
            self.watcher(done, total, message)
        now = time.monotonic()
        last_step = total is not None and done >= total
        if now - self._last_report < REPORT_EVERY_SECONDS and not last_step:
            return
        self._last_report = now
        further = {}
        if done > self._furthest:
            self._furthest = done
            further = {"attempts": Least(F("attempts"), ATTEMPTS_OF_PROGRESS)}
        self._update(done=done, total=total, message=message[:300], **further)
        if Job.objects.filter(pk=self.job.pk, cancel_requested=True).exists():
            raise JobCancelled

    def result(self, value: dict[str, Any]) -> None:
        self._result = value

    def _update(self, **fields: Any) -> None:
        mine = Job.objects.filter(pk=self.job.pk, lease_token=self.token, state=JobState.RUNNING)
        if not mine.update(lease_until=Now() + LEASE, **storable(fields)):
            raise LeaseLost

    def finish(self, state: JobState, error: str = "") -> None:
        self._update(state=state, error=error, result=self._result, finished_at=timezone.now())

    def put_back(self, later: JobLater, *, forgiven: int = 1) -> None:
        mine = Job.objects.filter(pk=self.job.pk, lease_token=self.token, state=JobState.RUNNING)
        mine.update(
            state=JobState.QUEUED,
            lease_token=None,
            lease_until=Now() + timedelta(seconds=later.seconds),
            message=storable(str(later))[:300],
            attempts=F("attempts") - forgiven,
        )


def claim(job_id: int) -> uuid.UUID | None:
    """Take a queued job for this process; None when it is not to be had."""
    token = uuid.uuid4()
    claimed = (
        Job.objects.filter(pk=job_id, state=JobState.QUEUED)
        .filter(Q(lease_until__isnull=True) | Q(lease_until__lte=Now()))
        .update(
            state=JobState.RUNNING,
            lease_token=token,
            lease_until=Now() + LEASE,
            attempts=F("attempts") + 1,
            started_at=timezone.now(),
        )
    )
    return token if claimed else None


def run(job_id: int, *, watcher: Watcher | None = None) -> Job | None:
    """Claim and work off a job; None when another process has it."""
    token = claim(job_id)
    if token is None:
        return None
    job = Job.objects.get(pk=job_id)
    with log_context.within_job(job_id):
        _work_off(JobContext(job, token, watcher))
        job.refresh_from_db()
        logger.info("job %s: %s", job_id, job.state, extra={"kind": job.kind, "state": job.state})
    return job


def _work_off(context: JobContext) -> None:
    job = context.job
    load_registering()
    try:
        handler = _handler_of(job)
        with heartbeat(job.pk, context.token):
            handler(context)
        context.finish(JobState.DONE)
    except LeaseLost:
        logger.warning("job %s was taken over by another process", job.pk)
    except JobCancelled:
        _end(context, JobState.CANCELLED)
    except JobLater as later:
        context.put_back(later)
    except JobFailure as failure:
        _end(context, JobState.FAILED, str(failure))
    except (OperationalError, InterfaceError):
        logger.exception("job %s (%s) lost the database", job.pk, job.kind)
        _after_the_database(context)
    except Exception:
        logger.exception("job %s (%s) failed", job.pk, job.kind)
        _fail(context)


def _handler_of(job: Job) -> Handler:
    """Raises JobLater: a newer site asked for what this process, of before, does not know."""
    if handler := _handlers.get(job.kind):
        return handler
    logger.warning("job %s (%s) is for another version of this program", job.pk, job.kind)
    raise JobLater(
        _("The job worker that took this is of another version, which cannot do it. Others may."),
        seconds=OTHER_VERSION_SECONDS,
    )


def _after_the_database(context: JobContext) -> None:
    """Try again soon, not for ever. While it is away still, the lease lapses instead."""
    if not connection.in_atomic_block:
        connection.close()
    if Job.objects.get(pk=context.job.pk).attempts >= MAX_ATTEMPTS:
        _fail(context)
        return
    message = _("The database did not answer. This goes on by itself.")
    context.put_back(JobLater(message, seconds=DATABASE_RETRY_SECONDS), forgiven=0)


def _fail(context: JobContext) -> None:
    message = _("Something unexpected stopped this job. The details are in the log, job %(id)s.")
    _end(context, JobState.FAILED, message % {"id": context.job.pk})


def _end(context: JobContext, state: JobState, error: str = "") -> None:
    """End a job that is not done, without its result where that cannot be stored."""
    try:
        with atomic():
            context.finish(state, error)
    except (DataError, TypeError, ValueError):
        logger.exception("the result of job %s cannot be stored", context.job.pk)
        context.result({})
        context.finish(state, error)


@atomic
def request_cancel(job: Job) -> None:
    """Ask a running job to stop at its next step; a waiting one stops at once."""
    # Held, or it could be put back between a look for the one and a look for the other.
    state = (
        Job.objects.select_for_update(no_key=True).values_list("state", flat=True).get(pk=job.pk)
    )
    same = Job.objects.filter(pk=job.pk)
    if state == JobState.QUEUED:
        same.update(state=JobState.CANCELLED, finished_at=timezone.now())
    elif state == JobState.RUNNING:
        same.update(cancel_requested=True)


def recover() -> list[int]:
    """Queue jobs whose process is gone again; the ids that should be sent to the broker now.

    A job that stopped MAX_ATTEMPTS times without an answer fails: it may be what kills its process.
    """
    lapsed = Job.objects.filter(state=JobState.RUNNING, lease_until__lt=Now())
    lapsed.filter(attempts__gte=MAX_ATTEMPTS).update(
        state=JobState.FAILED,
        finished_at=timezone.now(),
        error=_(
            "The process that did this was stopped %(count)s times. Start it again if you like."
        )
        % {"count": MAX_ATTEMPTS},
    )
    lapsed.update(state=JobState.QUEUED, lease_token=None, lease_until=None)
    waiting = Job.objects.filter(
        state=JobState.QUEUED, created_at__lt=Now() - timedelta(seconds=5)
    ).filter(Q(lease_until__isnull=True) | Q(lease_until__lte=Now()))
    return list(waiting.order_by("pk").values_list("pk", flat=True)[:100])
