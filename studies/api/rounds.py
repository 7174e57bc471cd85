from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JOB, JobSerializer
from studies.api.launching import LaunchSerializer, PlanSerializer, plan_of
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import Refused, refusing
from studies.models import Round, Study
from studies.services import plans, rounds

TAGS = ["Rounds"]
SEE, LAUNCH = ("studies.view_round",), ("studies.view_study", "studies.add_round")
PLAN = OpenApiExample(
    "Three workers a story",
    value={
        "task_type": "state_annotation",
        "overlap": 3,
        "reward_usd": "0.35",
        "limit": 40,
        "time_limit": "30m",
        "lifetime": "7d",
    },
    request_only=True,
)

ESTIMATE = {
    "tasks": 40,
    "slots": 120,
    "rewards_usd": "42.00",
    "fee_usd": "8.40",
    "total_usd": "50.40",
    "hourly_usd": None,
}
ROUND = {
    "number": 1,
    "task_type": "state_annotation",
    "state": "publishing",
    "overlap": 3,
    "reward_usd": "0.35",
    "eligibility": "open",
    "pilot": False,
    "past": False,
    "worker_cap": None,
    "apart_from": [],
    "seed": 71,
    "time_limit_seconds": 1800,
    "lifetime_seconds": 604800,
    "created_at": "2026-03-02T09:00:00Z",
    "expires_at": "2026-03-09T09:00:00Z",
}
LAUNCHED = OpenApiExample(
    "Launched",
    value={"round": ROUND, "estimate": ESTIMATE, "job": JOB},
    response_only=True,
)


class RoundSerializer(serializers.ModelSerializer[Round]):
    apart_from = serializers.SerializerMethodField(
        help_text="Numbers of rounds with whose workers this one shares none."
    )
    time_limit_seconds = serializers.SerializerMethodField()
    lifetime_seconds = serializers.SerializerMethodField()

    class Meta:
        model = Round
        fields = (
            *("number", "task_type", "state", "overlap", "reward_usd", "eligibility", "pilot"),
            *("past", "worker_cap", "apart_from", "seed", "time_limit_seconds"),
            *("lifetime_seconds", "created_at", "expires_at"),
        )
        read_only_fields = fields

    def get_apart_from(self, round: Round) -> list[int]:
        return sorted(other.number for other in round.apart_from.all())

    def get_time_limit_seconds(self, round: Round) -> int:
        return int(round.time_limit.total_seconds())

    def get_lifetime_seconds(self, round: Round) -> int:
        return int(round.lifetime.total_seconds())


class EstimateSerializer(serializers.Serializer[Any]):
    tasks = serializers.IntegerField()
    slots = serializers.IntegerField()
    rewards_usd = serializers.DecimalField(max_digits=14, decimal_places=2)
    fee_usd = serializers.DecimalField(max_digits=14, decimal_places=2)
    total_usd = serializers.DecimalField(max_digits=14, decimal_places=2)
    hourly_usd = serializers.DecimalField(
        max_digits=14, decimal_places=2, allow_null=True, help_text="Null until a pace is known."
    )


class LaunchedSerializer(serializers.Serializer[Any]):
    round = RoundSerializer()
    estimate = EstimateSerializer()
    job = JobSerializer(allow_null=True, help_text="Publishes the slots; null if launched before.")


class RoundsView(ApiView):
    """Security: researchers of the study who may see rounds; by POST those who may add some."""

    needs = {"GET": SEE, "POST": LAUNCH}

    @extend_schema(
        operation_id="list_rounds",
        summary="A study's rounds",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(RoundSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        return page_of(request, rounds_of(self.study), RoundSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="launch_round",
        summary="Launch a round; a job publishes its slots",
        tags=TAGS,
        request=LaunchSerializer,
        responses={201: LaunchedSerializer, 200: LaunchedSerializer},
        examples=[PLAN, LAUNCHED],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(LaunchSerializer)
        try:
            with refusing(plans.RoundRefused):
                plan = plan_of(given, found)
                estimate = plans.estimate_round(plan)
                refuse_unpaid(given)
                with asking_about_budget():
                    round, job = rounds.launch_round(
                        plan=plan, user=self.user, launch_key=given.get("launch_key")
                    )
        except rounds.AlreadyLaunched as already:
            made = {"round": self.own(already.round, found), "estimate": estimate, "job": None}
            return Response(LaunchedSerializer(made).data)
        made = {"round": round, "estimate": estimate, "job": tasks.wake(job)}
        return Response(LaunchedSerializer(made).data, status=201)

    def own(self, round: Round, study: Study) -> Round:
        """A key that another study has used says nothing of that study."""
        if round.study_id != study.pk:
            raise Refused(_("This launch key was used before. Draw another one."))
        return round


class EstimateView(ApiView):
    """Security: as a launch. Nothing is launched."""

    needs = {"POST": LAUNCH}

    @extend_schema(
        operation_id="estimate_round",
        summary="What a round would cost",
        tags=TAGS,
        request=PlanSerializer,
        responses={200: EstimateSerializer},
        examples=[PLAN, OpenApiExample("An estimate", value=ESTIMATE, response_only=True)],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(PlanSerializer)
        with refusing(plans.RoundRefused):
            estimate = plans.estimate_round(plan_of(given, found))
        return Response(EstimateSerializer(estimate).data)


class OfRound(ApiView):
    @property
    def round(self) -> Round:
        return self.found(rounds_of(self.study), number=self.kwargs["number"])


class RoundView(OfRound):
    """Security: as the list."""

    needs = {"GET": SEE}

    @extend_schema(
        operation_id="get_round",
        summary="One round",
        tags=TAGS,
        responses={200: RoundSerializer},
        examples=[OpenApiExample("A round", value=ROUND, response_only=True)],
    )
    def get(self, request: Request, study: str, number: int) -> Response:
        return Response(RoundSerializer(self.round).data)


def rounds_of(study: Study) -> QuerySet[Round]:
    return study.rounds.prefetch_related("apart_from")


def refuse_unpaid(given: dict[str, Any]) -> None:
    if not given["reward_usd"] and not given["unpaid"]:
        raise Refused(_("This round pays nothing. Send unpaid: true to launch it."))


@contextmanager
def asking_about_budget() -> Iterator[None]:
    try:
        yield
    except plans.AboveBudget as refusal:
        raise Refused(
            _("This costs more than what is left of the budget. Send above_budget: true.")
        ) from refusal
