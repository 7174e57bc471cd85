"""Puts runs whose supervisor is gone back in their queues."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from modeling.models import Run, RunState
from modeling.run_folder import Reason
from modeling.runs.words import what_failed

AT_ONCE = 200


def recover_runs() -> list[int]:
    """The runs that should be sent to the broker now.

    One that was begun RUN_ATTEMPTS times without an end fails: it may be what kills its process.
    """
    lapsed = Run.objects.filter(state=RunState.RUNNING, lease_until__lt=Now())
    ended = {"lease_token": None, "lease_until": None, "finished_at": Now()}
    lapsed.filter(cancel_requested=True).update(state=RunState.CANCELLED, **ended)
    lapsed.filter(attempts__gte=settings.RUN_ATTEMPTS).update(
        state=RunState.FAILED,
        reason=Reason.KILLED,
        error=what_failed(Reason.KILLED),
        **ended,
    )
    lapsed.update(state=RunState.QUEUED, lease_token=None, lease_until=None, sent_at=None)
    overdue = Now() - timedelta(seconds=settings.RUN_RESEND_SECONDS)
    waiting = Run.objects.filter(state=RunState.QUEUED).filter(
        Q(sent_at__isnull=True) | Q(sent_at__lt=overdue)
    )
    return list(waiting.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
