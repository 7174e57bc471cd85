"""What a study's list and its pages show: counts and money from rows."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, DecimalField, F, IntegerField, OuterRef, Q, QuerySet, Sum
from django.db.models.expressions import Combinable, Subquery
from django.db.models.functions import Coalesce

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
from studies.services.round_figures import PAYABLE, with_fee

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
    assignments = Assignment.objects.filter(
        task__round__study=study, task__round__past=False
    ).aggregate(
        spent=_sum(F("task__round__reward_usd"), Q(state=AssignmentState.APPROVED)),
        owed=_sum(
            F("task__round__reward_usd"),
            Q(state__in=PAYABLE, task__round__state=RoundState.CLOSED),
        ),
    )
    unfinished = Task.objects.filter(round__study=study, round__past=False).exclude(
        round__state=RoundState.CLOSED
    )
    promised = unfinished.aggregate(usd=_sum(F("overlap") * F("round__reward_usd")))["usd"]
    return StudyMoney(
        budget_usd=study.budget_usd,
        spent_usd=with_fee(assignments["spent"]),
        promised_usd=with_fee(assignments["owed"] + promised),
    )


def with_figures(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Studies with participant_count, story_count, round_count, open_count, response_count and
    approved_usd (rewards alone), in one query."""
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
        approved_usd=Coalesce(
            Subquery(
                approved.filter(task__round__study=OuterRef("pk"))
                .order_by()
                .values("task__round__study")
                .annotate(usd=Sum("task__round__reward_usd"))
                .values("usd")
            ),
            Decimal(0),
            output_field=MONEY,
        ),
    )


def _sum(amount: Combinable, condition: Q | None = None) -> Sum:
    return Sum(amount, filter=condition, default=Decimal(0), output_field=MONEY)


def _count(rows: QuerySet[Any], study: str) -> Coalesce:
    counted = (
        rows.filter(**{study: OuterRef("pk")})
        .order_by()
        .values(study)
        .annotate(count=Count("pk"))
        .values("count")
    )
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())
