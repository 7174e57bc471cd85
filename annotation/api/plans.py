"""How a study is reviewed: its sample, drawn and topped up, and how far the experts agree."""

import secrets
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Pool, ReviewPlan
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from annotation.review.pools import TooFewSettled, draw_pool
from annotation.review.summary import summary_of
from studies.api.base import ApiView
from studies.api.problems import Refused

TAGS = ["Reviews"]
SEE = ("annotation.view_reviewplan",)
MOST_POOLED = 5000


class PlanFactsSerializer(serializers.Serializer[Any]):
    seed = serializers.IntegerField()
    rounds = serializers.ListField(child=serializers.IntegerField())
    rule = serializers.DictField(help_text="How many of a worker's responses are judged.")
    double_share = serializers.DecimalField(max_digits=4, decimal_places=3)


class DrawnSerializer(serializers.Serializer[Any]):
    participants = serializers.IntegerField()
    picks = serializers.IntegerField()
    doubles = serializers.IntegerField(help_text="How many of them two experts judge.")


class SummarySerializer(serializers.Serializer[Any]):
    study = serializers.CharField()
    plan = PlanFactsSerializer()
    drawn = DrawnSerializer(allow_null=True, help_text="What was drawn just now.")
    workers = serializers.IntegerField()
    responses = serializers.IntegerField()
    required = serializers.IntegerField(  # type: ignore[assignment]
        help_text="How many of them experts must judge."
    )
    missing = serializers.IntegerField(help_text="How many of these are still to be drawn.")
    sample = serializers.DictField(child=serializers.IntegerField())
    agreement = serializers.DictField(
        help_text="Of the experts on what two of them judged, and on each pool: percent, and "
        "Gwet's AC1 with its standard error."
    )


class NewPoolSerializer(serializers.Serializer[Any]):
    size = serializers.IntegerField(min_value=1, max_value=MOST_POOLED, default=200)
    seed = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, required=False, help_text="By itself drawn."
    )


class PoolSerializer(serializers.ModelSerializer[Pool]):
    pool = serializers.IntegerField(source="pk")

    class Meta:
        model = Pool
        fields = ("pool", "size", "seed", "drawn_at")
        read_only_fields = fields


class OfPlan(ApiView):
    @property
    def plan(self) -> ReviewPlan:
        plan = ReviewPlan.objects.select_related("study").filter(study=self.study).first()
        if plan is None:
            raise NotFound(_("This study has no review plan yet. Topping up makes one."))
        return plan


class PlanView(OfPlan):
    """Security: researchers of the study who may see review plans."""

    needs = {"GET": SEE}

    @extend_schema(
        operation_id="get_review_plan",
        summary="How the study is reviewed, how far it is, and how far the experts agree",
        tags=TAGS,
        responses={200: SummarySerializer},
    )
    def get(self, request: Request, study: str) -> Response:
        return Response(SummarySerializer(summary_of(self.plan).as_dict()).data)


class TopUpView(ApiView):
    """Security: researchers of the study who may change review plans and draw samples."""

    needs = {"POST": (*SEE, "annotation.change_reviewplan", "annotation.add_draw")}

    @extend_schema(
        operation_id="top_up_sample",
        summary="Draw what the rule asks for by now; earlier picks stay",
        tags=TAGS,
        request=None,
        responses={200: SummarySerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        plan = ensure_plan(study=self.study)
        drawn = top_up_samples(plan=plan)
        return Response(SummarySerializer(summary_of(plan).as_dict(drawn)).data)


class PoolsView(OfPlan):
    """Security: researchers of the study who may see review plans and draw pools."""

    needs = {"POST": (*SEE, "annotation.add_pool")}

    @extend_schema(
        operation_id="draw_pool",
        summary="Draw an agreement pool: contributions that all experts judge",
        tags=TAGS,
        request=NewPoolSerializer,
        responses={201: PoolSerializer},
        examples=[OpenApiExample("As in the published study", value={"size": 200})],
    )
    def post(self, request: Request, study: str) -> Response:
        plan, given = self.plan, self.given(NewPoolSerializer)
        seed = given.get("seed", secrets.randbelow(2**31))
        try:
            pool = draw_pool(plan=plan, size=given["size"], seed=seed, user=self.user)
        except TooFewSettled as few:
            text = _("Only %(found)s responses have a verdict that stands. Draw at most so many.")
            raise Refused(text % {"found": few.found}) from few
        return Response(PoolSerializer(pool).data, status=201)
