"""What a round's page and its command show: numbers from rows, each with what it counts."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db.models import Aggregate, Count, DurationField, F, Q, QuerySet, Sum
from django.db.models.functions import TruncHour

from studies.models import Assignment, AssignmentState, Response, ResponseState, Round
from studies.services.estimates import CENT, hourly_pay

PAYABLE = (AssignmentState.SUBMITTED, AssignmentState.APPROVED)


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


def median_time(round: Round) -> timedelta | None:
    """Median time from the first acceptance to submitting, over confirmed responses."""
    taken = _confirmed(round).aggregate(
        median=Median(F("submitted_at") - F("assignment__accepted_at"))
    )
    median: timedelta | None = taken["median"]
    return median


def figures_of(round: Round) -> RoundFigures:
    tasks = round.tasks.aggregate(
        wanted=Sum("overlap", default=0),
        untouched=Count("pk", filter=Q(taken=0)),
        partly=Count("pk", filter=Q(taken__gt=0, taken__lt=F("overlap"))),
        full=Count("pk", filter=Q(taken__gte=F("overlap"))),
    )
    responses = Response.objects.filter(assignment__task__round=round).aggregate(
        confirmed=Count("pk", filter=Q(state=ResponseState.CONFIRMED)),
        waiting=Count("pk", filter=Q(state=ResponseState.SUBMITTED)),
        unconfirmed=Count("pk", filter=Q(state=ResponseState.UNCONFIRMED)),
        workers=Count("assignment__participant", distinct=True),
        approved=Count("pk", filter=Q(assignment__state=AssignmentState.APPROVED)),
        owed=Count("pk", filter=Q(assignment__state__in=PAYABLE)),
    )
    slots = round.slots.aggregate(all=Count("pk"), published=Count("pk", filter=~Q(hit_id="")))
    working = Assignment.objects.filter(task__round=round, state=AssignmentState.ACCEPTED)
    median = median_time(round)
    return RoundFigures(
        wanted=tasks["wanted"],
        collected=responses["confirmed"],
        waiting=responses["waiting"],
        unconfirmed=responses["unconfirmed"],
        working=working.count(),
        tasks_untouched=tasks["untouched"],
        tasks_partly=tasks["partly"],
        tasks_complete=tasks["full"],
        slots_published=slots["published"],
        slots=slots["all"],
        workers=responses["workers"],
        median_time=median,
        hourly_usd=hourly_pay(round.reward_usd, median),
        spent_usd=_with_fee(round, responses["approved"]),
        committed_usd=_with_fee(round, responses["owed"]),
        per_hour=submissions_per_hour(round),
    )


def submissions_per_hour(round: Round, hours: int = 48) -> list[tuple[datetime, int]]:
    """(hour, confirmed responses submitted in it) for the last `hours` hours with any, in order."""
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


def _with_fee(round: Round, count: int) -> Decimal:
    paid = round.reward_usd * count
    return (paid * (1 + Decimal(settings.MARKETPLACE_FEE))).quantize(CENT)
