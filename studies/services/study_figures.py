"""What a study's list and its pages show: counts and money from rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django.db.models import Count, DecimalField, F, IntegerField, OuterRef, QuerySet, Sum
from django.db.models.expressions import Combinable, Subquery
from django.db.models.functions import Coalesce

from database.prepared import prebuilt
from studies.models import (
    Assignment,
    AssignmentState,
    Participant,
    Response,
    ResponseState,
    Round,
    RoundState,
    Story,
    Study,
    Task,
)
from studies.services.fees import cost_in_database
from studies.services.kept_figures import Counted, attach_counted, counted
from studies.services.round_figures import PAYABLE

FIGURES = (
    *("participant_count", "story_count", "round_count", "open_count"),
    *("response_count", "spent_usd"),
)
MONEY: "DecimalField[Decimal, Decimal]" = DecimalField(max_digits=14, decimal_places=2)


@dataclass(frozen=True)
class StudyMoney:
    """US dollars, the marketplace's fee included.

    spent: approved. promised: spent, plus what waits for approval and every place that a round
    that is not closed may still fill. left: of the budget, after all that is promised.
    """

    budget_usd: Decimal | None
    spent_usd: Decimal
    promised_usd: Decimal

    @property
    def left_usd(self) -> Decimal | None:
        return None if self.budget_usd is None else self.budget_usd - self.promised_usd


def money_of(study: Study) -> StudyMoney:
    [(spent, waiting, open_places)] = _money(study=study.pk)
    return StudyMoney(
        budget_usd=study.budget_usd,
        spent_usd=spent,
        promised_usd=waiting + open_places,
    )


@prebuilt
def _money(*, study: int) -> QuerySet[Study, tuple[Decimal, Decimal, Decimal]]:
    """Approved; waiting for approval or approved in rounds that are closed; all places in rounds
    that are not."""
    assignments = Assignment.objects.filter(task__round__past=False)
    approved = assignments.filter(state=AssignmentState.APPROVED)
    owed = assignments.filter(state__in=PAYABLE, task__round__state=RoundState.CLOSED)
    unfinished = Task.objects.filter(round__past=False).exclude(round__state=RoundState.CLOSED)
    cost = cost_in_database("task__round__reward_usd")
    places = F("overlap") * cost_in_database("round__reward_usd")
    return Study.objects.filter(pk=study).values_list(
        _total(approved, "task__round__study", cost),
        _total(owed, "task__round__study", cost),
        _total(unfinished, "round__study", places),
    )


def kept_money_of(study: Study) -> Counted[StudyMoney]:
    """To look at; what a launch may cost is asked of `money_of`."""
    return counted(f"study-money:{study.export_salt}", partial(money_of, study))


def attach_figures(studies: Sequence[Study]) -> datetime | None:
    """Give studies the attributes of `with_figures`; when they were counted, if not just now."""
    return attach_counted({s.export_salt: s for s in studies}, "study-figures", _figures)


def _figures(studies: list[int]) -> QuerySet[Study, dict[str, Any]]:
    rows: QuerySet[Study, dict[str, Any]] = with_figures(
        Study.objects.filter(pk__in=studies)
    ).values("pk", *FIGURES)
    return rows


def with_figures(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Studies with participant_count, story_count, round_count, open_count, response_count and
    spent_usd (approved, with the fee), in one query."""
    rounds = Round.objects.filter(past=False)
    open_states = [RoundState.OPEN, RoundState.PUBLISHING]
    confirmed = Response.objects.filter(state=ResponseState.CONFIRMED)
    approved = Assignment.objects.filter(state=AssignmentState.APPROVED, task__round__past=False)
    return studies.annotate(
        participant_count=_count(Participant.objects.all(), "study"),
        story_count=_count(Story.objects.all(), "study"),
        round_count=_count(rounds, "study"),
        open_count=_count(rounds.filter(state__in=open_states), "study"),
        response_count=_count(confirmed, "assignment__task__round__study"),
        spent_usd=_total(
            approved, "task__round__study", cost_in_database("task__round__reward_usd")
        ),
    )


def _total(rows: QuerySet[Any], study: str, usd: Combinable) -> Coalesce:
    """The sum of `usd` over the study's rows."""
    summed = rows.filter(**{study: OuterRef("pk")}).order_by().values(study)
    total = Subquery(summed.annotate(usd=Sum(usd, output_field=MONEY)).values("usd"))
    return Coalesce(total, Decimal(0), output_field=MONEY)


def _count(rows: QuerySet[Any], study: str) -> Coalesce:
    counted = (
        rows.filter(**{study: OuterRef("pk")})
        .order_by()
        .values(study)
        .annotate(count=Count("pk"))
        .values("count")
    )
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())
