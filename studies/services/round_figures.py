"""What a round's page and its command show: numbers from rows, each with what it counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Aggregate,
    Count,
    DurationField,
    F,
    FloatField,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce, JSONObject, TruncHour

from studies.models import (
    Assignment,
    AssignmentState,
    Response,
    ResponseState,
    Round,
    Study,
    Task,
)
from studies.services.estimates import hourly_pay
from studies.services.fees import cost_usd
from studies.services.kept_figures import Counted, attach_counted, counted

PAYABLE = (AssignmentState.SUBMITTED, AssignmentState.APPROVED)
# From accepting to submitting; of a task taken up again, with the work on it before.
TIME_TAKEN = F("submitted_at") - F("assignment__accepted_at") + F("assignment__worked_before")
TIME_OF_ASSIGNMENT = F("response__submitted_at") - F("accepted_at") + F("worked_before")


class Median(Aggregate):
    """The duration that half of all are not longer than."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = DurationField()


class Seconds(Func):
    template = "EXTRACT(EPOCH FROM %(expressions)s)"
    output_field = FloatField()


CONFIRMED = Q(response__state=ResponseState.CONFIRMED)
TASK_FIGURES = {
    "wanted": Sum("overlap"),
    "tasks_untouched": Count("pk", filter=Q(taken=0)),
    "tasks_partly": Count("pk", filter=Q(taken__gt=0, taken__lt=F("overlap"))),
    "tasks_complete": Count("pk", filter=Q(taken__gte=F("overlap"))),
}
SLOT_FIGURES = {"slots": Count("pk"), "slots_published": Count("pk", filter=~Q(hit_id=""))}
RESPONSE_FIGURES = {
    "working": Count("pk", filter=Q(state=AssignmentState.ACCEPTED)),
    "collected": Count("pk", filter=CONFIRMED),
    "waiting": Count("pk", filter=Q(response__state=ResponseState.SUBMITTED)),
    "unconfirmed": Count("pk", filter=Q(response__state=ResponseState.UNCONFIRMED)),
    "workers": Count("participant", distinct=True, filter=Q(response__isnull=False)),
    "approved": Count("pk", filter=Q(state=AssignmentState.APPROVED)),
    "owed": Count("pk", filter=Q(state__in=PAYABLE)),
    "median_seconds": Seconds(
        Median(
            TIME_OF_ASSIGNMENT,
            filter=CONFIRMED & Q(participant__isnull=False),
        )
    ),
}
HOUR_AND_COUNT = JSONObject(hour=Seconds("hour"), count="count")
COUNTS = (
    *("wanted", "tasks_untouched", "tasks_partly", "tasks_complete", "slots", "slots_published"),
    *("working", "collected", "waiting", "unconfirmed", "workers"),
)


@dataclass(frozen=True)
class RoundFigures:
    """`wanted` and `collected` count responses; money is in US dollars, the fee included."""

    wanted: int
    collected: int
    waiting: int
    unconfirmed: int
    working: int
    tasks_untouched: int
    tasks_partly: int
    tasks_complete: int
    slots_published: int
    slots: int
    workers: int
    median_time: timedelta | None
    hourly_usd: Decimal | None
    spent_usd: Decimal
    committed_usd: Decimal
    per_hour: list[tuple[datetime, int]]


def median_time_of(study: Study, task_type: str) -> timedelta | None:
    """Median time of a task type in a study, over the confirmed responses of all its rounds."""
    responses = Response.objects.filter(
        assignment__task__round__study=study,
        assignment__task__round__task_type=task_type,
        assignment__participant__isnull=False,
        state=ResponseState.CONFIRMED,
    )
    found: timedelta | None = responses.aggregate(median=Median(TIME_TAKEN))["median"]
    return found


def figures_of(round: Round) -> RoundFigures:
    """One statement over this round's rows alone: it is asked for every few seconds."""
    found = Round.objects.values_list(
        _of_round(round.tasks, "round", TASK_FIGURES),
        _of_round(round.slots, "round", SLOT_FIGURES),
        _of_round(_assignments(round), "task__round", RESPONSE_FIGURES),
        ArraySubquery(
            _by_hour(round, 48).values(row=JSONObject(hour=Seconds("hour"), count="count"))
        ),
    ).get(pk=round.pk)
    tasks, slots, responses = (part or {} for part in found[:3])
    seconds = responses.get("median_seconds")
    median_time = timedelta(seconds=seconds) if seconds is not None else None
    counts = {name: (tasks | slots | responses).get(name, 0) for name in COUNTS}
    return RoundFigures(
        **counts,
        median_time=median_time,
        hourly_usd=hourly_pay(round.reward_usd, median_time),
        spent_usd=cost_usd(round.reward_usd) * responses.get("approved", 0),
        committed_usd=cost_usd(round.reward_usd) * responses.get("owed", 0),
        per_hour=[(datetime.fromtimestamp(r["hour"], UTC), r["count"]) for r in reversed(found[3])],
    )


def _of_round(rows: Any, round: str, figures: dict[str, Any]) -> Subquery:
    """Numbers over the round's rows, as JSON so that one subquery gives them all."""
    grouped = rows.order_by().values(round).annotate(figures=JSONObject(**figures))
    return Subquery(grouped.values("figures"))


def _assignments(round: Round) -> QuerySet[Assignment]:
    return Assignment.objects.filter(task__round=round)


def kept_figures_of(round: Round) -> Counted[RoundFigures]:
    """To look at again and again."""
    return counted(f"round-figures:{round.public_id}", partial(figures_of, round))


def wanted_responses(round: Round) -> int:
    wanted: int = round.tasks.aggregate(wanted=Sum("overlap", default=0))["wanted"]
    return wanted


def open_places(round: Round) -> int:
    """How many places nobody has taken."""
    free: int = round.tasks.aggregate(free=Sum(F("overlap") - F("taken"), default=0))["free"]
    return free


def with_counts(rounds: QuerySet[Round]) -> QuerySet[Any]:
    """Rounds with wanted_count and collected_count (confirmed responses), in one query."""
    wanted = Task.objects.filter(round=OuterRef("pk")).order_by().values("round")
    collected = (
        Response.objects.filter(
            assignment__task__round=OuterRef("pk"), state=ResponseState.CONFIRMED
        )
        .order_by()
        .values("assignment__task__round")
    )
    return rounds.annotate(
        wanted_count=Coalesce(Subquery(wanted.values(n=Sum("overlap"))), 0),
        collected_count=Coalesce(Subquery(collected.values(n=Count("pk"))), 0),
    )


def attach_counts(rounds: Sequence[Round]) -> datetime | None:
    """Give rounds the attributes of `with_counts`; when they were counted, if not just now."""
    return attach_counted({str(r.public_id): r for r in rounds}, "round-counts", _counts)


def _counts(rounds: list[int]) -> QuerySet[Round, dict[str, Any]]:
    counts = with_counts(Round.objects.filter(pk__in=rounds)).order_by()
    return counts.values("pk", "wanted_count", "collected_count")


def submissions_per_hour(round: Round, hours: int | None = 48) -> list[tuple[datetime, int]]:
    """(hour, confirmed responses submitted in it) for the last `hours` hours with any, in order.

    None: for every hour with any.
    """
    return list(reversed(_by_hour(round, hours).values_list("hour", "count")))


def _by_hour(round: Round, hours: int | None) -> Any:
    """The latest hours first."""
    hour = TruncHour("submitted_at", tzinfo=UTC)
    per_hour = _confirmed(round).annotate(hour=hour).values("hour")
    return per_hour.annotate(count=Count("pk")).order_by("-hour")[:hours]


def _confirmed(round: Round) -> QuerySet[Response]:
    return Response.objects.filter(
        assignment__task__round=round,
        assignment__participant__isnull=False,
        state=ResponseState.CONFIRMED,
    )
