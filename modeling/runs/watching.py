"""Follows a runner to its end: what it reports goes to the row, what is asked to its folder."""

import logging
import time
from typing import Any

from django.db import InterfaceError, OperationalError, connection

from modeling.models import Point, Run
from modeling.runs.lease import Lease, LeaseLost
from modeling.runs.process import Runner

logger = logging.getLogger(__name__)
TICK_SECONDS = 0.2
TELL_SECONDS = 1.0
# So long a runner may take to stop when asked to, until it is killed.
CANCEL_SECONDS = 120.0
OF_PROGRESS = ("step", "steps", "phase", "at", "eta_seconds")


class Watch:
    def __init__(self, run: Run, lease: Lease) -> None:
        self.run = run
        self.lease = lease
        _old, self._read = run.folder.events()
        self._progress: dict[str, Any] = {}
        self._told = float("-inf")
        self._asked_to_stop: float | None = None

    def follow(self, runner: Runner) -> None:
        """Until it has ended. Raises LeaseLost."""
        while not runner.has_ended():
            self._tell_when_due()
            if self._asked_to_stop and time.monotonic() > self._asked_to_stop + CANCEL_SECONDS:
                logger.warning("run %s did not stop when asked to: it is killed", self.run.pk)
                return
            time.sleep(TICK_SECONDS)
        self._tell()

    def _tell_when_due(self) -> None:
        """While the database is away the runner goes on, as long as the lease is ours for sure."""
        if time.monotonic() < self._told + TELL_SECONDS:
            return
        try:
            self._tell()
        except (OperationalError, InterfaceError) as error:
            logger.warning("run %s: the database does not answer: %s", self.run.pk, error)
            if not connection.in_atomic_block:
                connection.close()
            if self.lease.is_over():
                raise LeaseLost from error
        self._told = time.monotonic()

    def _tell(self) -> None:
        events, read = self.run.folder.events(self._read)
        for event in events:
            self._progress |= event
        self.lease.renew(**({"progress": self._progress} if events else {}))
        self._keep_points(events)
        self._read = read
        if self._asked_to_stop is None and self.lease.is_cancel_requested():
            self._asked_to_stop = time.monotonic()
            self.run.folder.request_cancel()

    def _keep_points(self, events: list[dict[str, Any]]) -> None:
        points = {(event["phase"], event["step"]): _values(event) for event in events}
        Point.objects.bulk_create(
            [
                Point(run=self.run, phase=phase, step=step, values=values)
                for (phase, step), values in points.items()
                if values
            ],
            update_conflicts=True,
            unique_fields=["run", "phase", "step"],
            update_fields=["values"],
        )


def _values(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in OF_PROGRESS}
