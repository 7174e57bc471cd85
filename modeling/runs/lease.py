"""Who works on a run: a lease on its row, by the database's clock.

Every change of a running run's row goes through its lease, as a conditional UPDATE. A message that
the broker delivers twice finds nothing to claim; who has lost the lease changes nothing.
"""

import socket
import time
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Coalesce, Now

from modeling.models import Run, RunState
from studies.storable import storable


class LeaseLost(Exception):
    """Another process has taken the run over; this one must stop without touching the row."""


class Lease:
    def __init__(self, run_id: int, token: uuid.UUID) -> None:
        self.run_id = run_id
        self.token = token
        self.holds_until = _later()

    def renew(self, **fields: Any) -> None:
        """Raises LeaseLost."""
        holds_until = _later()
        self._update(lease_until=_until(), **fields)
        self.holds_until = holds_until

    def is_over(self) -> bool:
        """Whether it may have lapsed, as far as can be known without the database."""
        return time.monotonic() > self.holds_until

    def is_cancel_requested(self) -> bool:
        return Run.objects.filter(pk=self.run_id, cancel_requested=True).exists()

    def finish(self, state: RunState, **fields: Any) -> None:
        """Raises LeaseLost."""
        self._update(state=state, lease_token=None, lease_until=None, finished_at=Now(), **fields)

    def put_back(self) -> None:
        """Into its queue, for another attempt. Raises LeaseLost."""
        self._update(state=RunState.QUEUED, lease_token=None, lease_until=None, sent_at=None)

    def _update(self, **fields: Any) -> None:
        mine = Run.objects.filter(pk=self.run_id, lease_token=self.token, state=RunState.RUNNING)
        # A log or an endpoint may say what the database has no characters for.
        if not mine.update(**storable(fields)):
            raise LeaseLost


def claim(run_id: int) -> Lease | None:
    """Take a waiting run for this process; None when it is not to be had."""
    token = uuid.uuid4()
    claimed = Run.objects.filter(pk=run_id, state=RunState.QUEUED).update(
        state=RunState.RUNNING,
        lease_token=token,
        lease_until=_until(),
        attempts=F("attempts") + 1,
        started_at=Coalesce(F("started_at"), Now()),
        host=socket.gethostname()[:100],
    )
    return Lease(run_id, token) if claimed else None


def _until() -> Any:
    return Now() + timedelta(seconds=settings.RUN_LEASE_SECONDS)


def _later() -> float:
    return time.monotonic() + float(settings.RUN_LEASE_SECONDS)
