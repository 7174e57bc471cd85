"""How jobs and responses stand, as figures for Prometheus; read when it asks."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Sum
from django.utils import timezone
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from studies import jobs
from studies.models import Job, JobState, Response, ResponseState

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
FINISHED = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


def families() -> Iterator[Metric]:
    yield from _jobs()
    yield from _responses()


@dataclass(frozen=True)
class Standing:
    """Of the jobs of one kind in one state."""

    count: int = 0
    oldest: datetime | None = None
    time: timedelta | None = None


def _jobs() -> Iterator[Metric]:
    """Rows stay when a job has ended: their number and times only grow, as a counter does."""
    standings = _standings()
    kinds = sorted({*jobs.kinds(), *(kind for kind, _ in standings)})
    by_kind_and_state, by_kind = ["kind", "state"], ["kind"]
    unfinished = GaugeMetricFamily("fabula_jobs", "Jobs that wait or run.", None, by_kind_and_state)
    oldest = GaugeMetricFamily(
        "fabula_job_oldest_queued_seconds", "Age of the oldest job that waits.", None, by_kind
    )
    ended = CounterMetricFamily("fabula_jobs_ended", "Jobs that ended.", None, by_kind_and_state)
    spent = CounterMetricFamily(
        "fabula_job_seconds", "Time that the last tries of ended jobs took.", None, by_kind
    )
    for kind in kinds:
        for state in UNFINISHED:
            unfinished.add_metric([kind, state], standings[kind, state].count)
        for state in FINISHED:
            ended.add_metric([kind, state], standings[kind, state].count)
        oldest.add_metric([kind], seconds_since(standings[kind, JobState.QUEUED].oldest))
        times = [standings[kind, state].time or timedelta(0) for state in FINISHED]
        spent.add_metric([kind], sum(times, timedelta(0)).total_seconds())
    yield from (unfinished, oldest, ended, spent)


def _standings() -> dict[tuple[str, str], Standing]:
    rows = Job.objects.order_by().values_list("kind", "state")
    counted = rows.annotate(
        count=Count("pk"),
        oldest=Min("created_at"),
        time=Sum(F("finished_at") - F("started_at")),
    )
    found = {(kind, state): Standing(*figures) for kind, state, *figures in counted}
    return defaultdict(Standing, found)


def _responses() -> Iterator[Metric]:
    waiting = Response.objects.filter(state=ResponseState.SUBMITTED).aggregate(
        n=Count("pk"), oldest=Min("submitted_at")
    )
    unconfirmed = Response.objects.filter(state=ResponseState.UNCONFIRMED).count()
    yield GaugeMetricFamily(
        "fabula_responses_waiting",
        "Responses that wait for the marketplace's word.",
        value=waiting["n"],
    )
    yield GaugeMetricFamily(
        "fabula_response_oldest_waiting_seconds",
        "Age of the oldest response that waits for the marketplace's word.",
        value=seconds_since(waiting["oldest"]),
    )
    yield GaugeMetricFamily(
        "fabula_responses_unconfirmed",
        "Responses that the marketplace never received in time.",
        value=unconfirmed,
    )


def seconds_since(moment: datetime | None) -> float:
    return 0.0 if moment is None else (timezone.now() - moment).total_seconds()
