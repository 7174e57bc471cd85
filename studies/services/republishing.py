"""Takes up again what a publishing job left undone: with patience, and not for ever."""

from datetime import datetime, timedelta
from itertools import takewhile

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from studies.jobs import create_job
from studies.models import Job, JobState, Round, RoundState, Slot
from studies.services.publishing import PUBLISHED_IN

# After so many failures in a row somebody has to look first.
MOST_FAILURES = 5
FIRST_WAIT = timedelta(minutes=1)


def publish_where_missing() -> list[Job]:
    """Jobs for rounds on offer that have unpublished slots and nobody publishing them."""
    busy = Job.objects.filter(
        kind="publish_round", state__in=[JobState.QUEUED, JobState.RUNNING]
    ).values_list("payload__round", flat=True)
    rounds = _unpublished().exclude(pk__in=list(busy)).select_related("study")
    now = timezone.now()
    return [
        create_job(kind="publish_round", study=round.study, payload={"round": round.pk})
        for round in rounds
        if (at := _next_try(round)) is not None and at <= now
    ]


def next_try(round: Round) -> datetime | None:
    """When publishing is taken up again by itself; None when it is not."""
    return _next_try(round) if _unpublished().filter(pk=round.pk).exists() else None


def _unpublished() -> QuerySet[Round]:
    missing = Slot.objects.filter(round=OuterRef("pk"), hit_id="")
    return Round.objects.filter(Exists(missing), state__in=PUBLISHED_IN)


def _next_try(round: Round) -> datetime | None:
    """1, 2, 4, 8 minutes after a failure; at once when there was none since the last success.

    Not after too many failures in a row, nor when somebody has stopped the publishing of a round.
    """
    jobs = Job.objects.filter(
        kind="publish_round", study=round.study_id, payload={"round": round.pk}
    ).annotate(ended_at=Coalesce("finished_at", "created_at"))
    latest = list(jobs.order_by("-pk").values_list("state", "ended_at")[:MOST_FAILURES])
    states = [state for state, _ended_at in latest]
    if states[:1] == [JobState.CANCELLED] and round.state == RoundState.PUBLISHING:
        return None
    failures = len(list(takewhile(JobState.FAILED.__eq__, states)))
    if failures == MOST_FAILURES:
        return None
    return latest[0][1] + FIRST_WAIT * 2 ** (failures - 1) if failures else round.created_at
