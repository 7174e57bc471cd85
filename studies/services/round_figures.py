"""What a round's page and its command show: numbers from rows, each with what it counts."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import (
    Aggregate,
    Count,
    DurationField,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce, TruncHour

from studies.models import (
    Assignment,
    AssignmentState,
    Response,
    ResponseState,
    Round,
    Study,
    Task,
)
from studies.services.estimates import CENT, hourly_pay

PAYABLE = (AssignmentState.SUBMITTED, AssignmentState.APPROVED)
TIME_TAKEN = F("submitted_at") - F("assignment__accepted_at")


class Median(Aggregate):
    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = DurationField()


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
    median: timedelta | None = responses.aggregate(median=Median(TIME_TAKEN))["median"]
    return median


def figures_of(round: Round) -> RoundFigures:
    """Three queries, each over this round's rows alone: cheap enough to ask every few seconds."""
    slots = round.slots.order_by().values("round")
    unpublished = slots.filter(hit_id="")
    # Counted once, not for each task; a round without tasks has no slots.
    tasks = round.tasks.annotate(
        slot_count=Subquery(slots.values(n=Count("pk"))),
        unpublished_count=Subquery(unpublished.values(n=Count("pk"))),
    ).aggregate(
        wanted=Sum("overlap", default=0),
        tasks_untouched=Count("pk", filter=Q(taken=0)),
        tasks_partly=Count("pk", filter=Q(taken__gt=0, taken__lt=F("overlap"))),
        tasks_complete=Count("pk", filter=Q(taken__gte=F("overlap"))),
        slots=Max("slot_count", default=0),
        unpublished=Max("unpublished_count", default=0),
    )
    slots_published = tasks["slots"] - tasks.pop("unpublished")
    responses = _response_figures(round)
    approved, owed = responses.pop("approved"), responses.pop("owed")
    return RoundFigures(
        **tasks,
        slots_published=slots_published,
        **responses,
        hourly_usd=hourly_pay(round.reward_usd, responses["median_time"]),
        spent_usd=with_fee(round.reward_usd * approved),
        committed_usd=with_fee(round.reward_usd * owed),
        per_hour=submissions_per_hour(round),
    )


def _response_figures(round: Round) -> dict[str, Any]:
    confirmed = Q(response__state=ResponseState.CONFIRMED)
    return Assignment.objects.filter(task__round=round).aggregate(
        working=Count("pk", filter=Q(state=AssignmentState.ACCEPTED)),
        collected=Count("pk", filter=confirmed),
        waiting=Count("pk", filter=Q(response__state=ResponseState.SUBMITTED)),
        unconfirmed=Count("pk", filter=Q(response__state=ResponseState.UNCONFIRMED)),
        workers=Count("participant", distinct=True, filter=Q(response__isnull=False)),
        approved=Count("pk", filter=Q(state=AssignmentState.APPROVED)),
        owed=Count("pk", filter=Q(state__in=PAYABLE)),
        median_time=Median(
            F("response__submitted_at") - F("accepted_at"),
            filter=confirmed & Q(participant__isnull=False),
        ),
    )


def wanted_responses(round: Round) -> int:
    wanted: int = round.tasks.aggregate(wanted=Sum("overlap", default=0))["wanted"]
    return wanted


def open_places(round: Round) -> int:
    """How many places nobody has taken."""
    free: int = round.tasks.aggregate(free=Sum(F("overlap") - F("taken"), default=0))["free"]
    return free


def with_counts(rounds: QuerySet[Round]) -> QuerySet[Round]:
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


def submissions_per_hour(round: Round, hours: int | None = 48) -> list[tuple[datetime, int]]:
    """(hour, confirmed responses submitted in it) for the last `hours` hours with any, in order.

    None: for every hour with any.
    """
    counted = (
        _confirmed(round)
        .annotate(hour=TruncHour("submitted_at"))
        .values_list("hour")
        .annotate(count=Count("pk"))
        .order_by("-hour")[:hours]
    )
    return list(reversed(list(counted)))


def _confirmed(round: Round) -> QuerySet[Response]:
    return Response.objects.filter(
        assignment__task__round=round,
        assignment__participant__isnull=False,
        state=ResponseState.CONFIRMED,
    )


def with_fee(reward_usd: Decimal) -> Decimal:
    return (reward_usd * (1 + Decimal(settings.MARKETPLACE_FEE))).quantize(CENT)
