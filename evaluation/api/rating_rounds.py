from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.api.rating_launching import RatingLaunchSerializer, rating_plan_of
from evaluation.models import RatingRound
from evaluation.rating.outputs import BadItems
from evaluation.services.gold_results import rater_results
from evaluation.services.rating_rounds import RatingPlan, launch_ratings
from studies import tasks
from studies.api.base import ApiView
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import Refused, refusing
from studies.api.rounds import (
    LAUNCH,
    ROUND,
    SEE,
    EstimateSerializer,
    LaunchedSerializer,
    RoundSerializer,
    asking_about_budget,
    refuse_unpaid,
)
from studies.models import Study
from studies.services.plans import RoundRefused, estimate_round
from studies.services.rounds import AlreadyLaunched

TAGS = ["Evaluation"]
PLAN = OpenApiExample(
    "Twenty tuples of a release, three workers each",
    value={
        "instrument": "state-inference",
        "release": "v1",
        "sample": 20,
        "seed": 7,
        "overlap": 3,
        "reward_usd": "0.10",
        "eligibility": "proficient",
    },
    request_only=True,
)
RATING_ROUND = OpenApiExample(
    "A round of ratings",
    value={
        "round": ROUND | {"task_type": "rating"},
        "instrument": "state-inference@1",
        "items_from": {"kind": "release", "release": "v1", "input": "marked", "split": ""},
        "sample": 20,
        "same_raters": False,
        "gold_share": "0.000",
    },
    response_only=True,
)


class RatingRoundSerializer(serializers.ModelSerializer[RatingRound]):
    round = RoundSerializer()
    instrument = serializers.SerializerMethodField(help_text="Short name and version.")
    items_from = serializers.JSONField(source="source", help_text="Where its items came from.")

    class Meta:
        model = RatingRound
        fields = ("round", "instrument", "items_from", "sample", "same_raters", "gold_share")
        read_only_fields = fields

    def get_instrument(self, made: RatingRound) -> str:
        return f"{made.instrument.slug}@{made.instrument.version}"


class RaterSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(help_text="A pseudonym.")
    known = serializers.IntegerField(help_text="Answers to which the right one is known.")
    right = serializers.IntegerField()
    gold = serializers.IntegerField(help_text="Those of them about gold items.")
    gold_right = serializers.IntegerField()


class RatingRoundsView(ApiView):
    """Security: researchers of the study who may see rounds; by POST those who may add some."""

    needs = {"GET": SEE, "POST": LAUNCH}
    parser_classes = (JSONParser, MultiPartParser)

    @extend_schema(
        operation_id="list_evaluation_rounds",
        summary="A study's evaluation rounds",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(RatingRoundSerializer)},
        examples=[RATING_ROUND],
    )
    def get(self, request: Request, study: str) -> Response:
        made = RatingRound.objects.filter(round__study=self.study)
        rows = made.select_related("instrument", "round").prefetch_related("round__apart_from")
        return page_of(request, rows, RatingRoundSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="launch_evaluation_round",
        summary="Launch a round of ratings; a job publishes its slots",
        tags=TAGS,
        request=RatingLaunchSerializer,
        responses={201: LaunchedSerializer, 200: LaunchedSerializer},
        examples=[PLAN],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(RatingLaunchSerializer)
        plan = _planned(given, found)
        estimate = estimate_round(plan.plan)
        refuse_unpaid(given)
        try:
            with refusing(RoundRefused), asking_about_budget():
                round, job = launch_ratings(
                    plan=plan, user=self.user, launch_key=given.get("launch_key")
                )
        except AlreadyLaunched as already:
            if already.round.study_id != found.pk:
                raise Refused(_("This launch key was used before. Draw another one.")) from already
            made = {"round": already.round, "estimate": estimate, "job": None}
            return Response(LaunchedSerializer(made).data)
        made = {"round": round, "estimate": estimate, "job": tasks.wake(job)}
        return Response(LaunchedSerializer(made).data, status=201)


class RatingEstimateView(ApiView):
    """Security: as a launch. Nothing is launched."""

    needs = {"POST": LAUNCH}
    parser_classes = (JSONParser, MultiPartParser)

    @extend_schema(
        operation_id="estimate_evaluation_round",
        summary="What a round of ratings would cost",
        tags=TAGS,
        request=RatingLaunchSerializer,
        responses={200: EstimateSerializer},
        examples=[PLAN],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(RatingLaunchSerializer)
        plan = _planned(given, found)
        return Response(EstimateSerializer(estimate_round(plan.plan)).data)


class RatersView(ApiView):
    """Security: researchers of the study who may see ratings."""

    needs = {"GET": ("evaluation.view_rating",)}

    @extend_schema(
        operation_id="list_gold_results",
        summary="How each rater of a round answers what there is a right answer to",
        tags=TAGS,
        responses={200: RaterSerializer(many=True)},
    )
    def get(self, request: Request, study: str, number: int) -> Response:
        made = self.found(
            RatingRound.objects.filter(round__study=self.study).select_related("round"),
            round__number=number,
        )
        return Response([asdict(one) for one in rater_results(made.round)])


def _planned(given: dict[str, Any], study: Study) -> RatingPlan:
    with refusing(BadItems, RoundRefused):
        return rating_plan_of(given, study)
