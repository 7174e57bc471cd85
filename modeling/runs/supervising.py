"""One attempt at a run, from claim to end: prepare the folder, start the runner, follow it, store.

Killed at any line it leaves a lease that lapses; `recover_runs` puts the run back in its queue, and
the next attempt goes on from the last checkpoint.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from modeling.instances.sources import BadSource
from modeling.instances.tuples import BadTuple
from modeling.models import Run, RunState
from modeling.run_folder import CANCELLED, DONE, FAILED, Outcome, Reason
from modeling.runner import is_disk_full
from modeling.runs.lease import Lease, LeaseLost, claim
from modeling.runs.preparing import prepare_folder
from modeling.runs.process import Runner
from modeling.runs.storing import store_generations
from modeling.runs.version import code_version
from modeling.runs.watching import Watch
from modeling.runs.words import what_failed

logger = logging.getLogger(__name__)


def supervise(run_id: int) -> bool:
    """Whether the run waits for another attempt, which the caller sends. Does nothing where the run
    is not to be had."""
    lease = claim(run_id)
    if lease is None:
        return False
    run = Run.objects.select_related("release", "study").get(pk=run_id)
    try:
        work_off(run, lease)
    except LeaseLost:
        logger.warning("run %s was taken over by another process", run_id)
    except (OperationalError, InterfaceError):
        # What is in the folder stays: once the lease has lapsed, the next attempt goes on with it.
        logger.exception("run %s lost the database", run_id)
        if not connection.in_atomic_block:
            connection.close()
    return Run.objects.filter(pk=run_id, state=RunState.QUEUED).exists()


def work_off(run: Run, lease: Lease) -> None:
    """Raises LeaseLost, and what a database raises that is away."""
    try:
        conclude(run, lease, attempt(run, lease))
    except (LeaseLost, OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("run %s failed", run.pk)
        fail(run, lease, Reason.UNEXPECTED)


def attempt(run: Run, lease: Lease) -> Outcome | None:
    """How the runner ended; None where it did not say. Raises LeaseLost."""
    try:
        prepare_folder(run, told=lambda *_: lease.renew())
    except (BadSource, BadTuple) as refusal:
        return Outcome(FAILED, Reason.BAD_DATA, str(refusal))
    except OSError as error:
        if is_disk_full(error):
            return Outcome(FAILED, Reason.DISK_FULL)
        raise
    told = run.folder.outcome()
    if told is not None and told.state == DONE:
        # An earlier attempt was killed between the runner's end and the storing.
        return told
    lease.renew(data_sha256=run.folder.data_sha256(), code_version=code_version())
    run.folder.claim(str(lease.token))
    watch, runner = Watch(run, lease), Runner(run)
    try:
        watch.follow(runner)
    finally:
        runner.kill()
    return run.folder.outcome()


def conclude(run: Run, lease: Lease, outcome: Outcome | None) -> None:
    """Raises LeaseLost."""
    if outcome is None:
        _after_a_kill(run, lease)
    else:
        ends: dict[str, Callable[[], Any]] = {
            DONE: lambda: store_generations(run, outcome=outcome, lease=lease),
            CANCELLED: lambda: lease.finish(RunState.CANCELLED),
            FAILED: lambda: fail(run, lease, outcome.reason, outcome.detail),
        }
        ends[outcome.state]()


def fail(run: Run, lease: Lease, reason: str, detail: str = "") -> None:
    lease.finish(
        RunState.FAILED,
        reason=reason,
        error=what_failed(reason, detail),
        last_words=run.folder.last_words(),
    )


def _after_a_kill(run: Run, lease: Lease) -> None:
    """Nothing is known of why; it is tried again, not for ever."""
    if lease.is_cancel_requested():
        lease.finish(RunState.CANCELLED)
    elif run.attempts >= settings.RUN_ATTEMPTS:
        fail(run, lease, Reason.KILLED)
    else:
        lease.put_back()
