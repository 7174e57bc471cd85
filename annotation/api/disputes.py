"""Where two experts judged differently, a third one settles it; and what is judged by choice."""

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.reading import (
    REVIEW,
    TAGS,
    VERDICTS,
    ContributionSerializer,
    ReviewerView,
    SaidSerializer,
    TurnSerializer,
    VerdictSerializer,
    judging,
)
from annotation.models import ReviewPlan, ReviewSource, Verdict
from annotation.review import adjudication, queue
from annotation.review.adjudication import key_of, open_to, theirs_called
from studies.api.base import ApiView
from studies.api.problems import Refused
from studies.models import Contribution
from studies.models import Response as StudyResponse
from studies.task_types import UnknownTaskType

TO_STUDY = "response__assignment__task__round__study"


class DisputedSerializer(ContributionSerializer):
    key = serializers.CharField(help_text="Its name in the address that settles it.")
    verdicts = SaidSerializer(many=True, help_text="What was said of it; not by whom.")


class DisputesSerializer(serializers.Serializer[Any]):
    left = serializers.IntegerField(help_text="How many you could settle.")
    next = DisputedSerializer(allow_null=True)


class DisputesView(ReviewerView):
    @extend_schema(
        operation_id="get_disputed",
        summary="A contribution that others judged differently, with their verdicts",
        tags=TAGS,
        responses={200: DisputesSerializer},
    )
    def get(self, request: Request, study: str) -> Response:
        plan = ReviewPlan.objects.filter(study=self.study).first()
        rows = Contribution.objects.none() if plan is None else open_to(self.user, plan)
        first = rows.select_related(TO_STUDY).first()
        following = None if first is None else self.described(first)
        return Response(DisputesSerializer({"left": rows.count(), "next": following}).data)

    def described(self, contribution: Contribution) -> dict[str, Any]:
        """Verdicts in an order that does not tell who came first."""
        given = Verdict.objects.filter(contribution=contribution, replaced_at__isnull=True)
        current = given.exclude(source=ReviewSource.POOL)
        return {
            "contribution": contribution,
            "key": key_of(contribution.pk),
            "verdicts": current.order_by("judgement", "grade", "step", "reason"),
        }


class SettleView(ReviewerView):
    @extend_schema(
        operation_id="settle",
        summary="Settle it, or change what you settled",
        tags=TAGS,
        request=VerdictSerializer,
        responses={200: SaidSerializer},
        examples=VERDICTS,
    )
    def post(self, request: Request, study: str, key: str) -> Response:
        plan = ReviewPlan.objects.filter(study=self.study).first()
        found = None if plan is None else theirs_called(key, self.user, plan)
        if found is None:
            raise Http404
        said = self.said()
        said.pop("seconds", None)
        try:
            with judging():
                verdict = adjudication.adjudicate(
                    contribution=Contribution(pk=found), reviewer=self.user, **said
                )
        except adjudication.HasJudged as judged:
            raise Refused(_("This one is settled already, or not yours to settle.")) from judged
        return Response(SaidSerializer(verdict).data)


class OpenSingleView(ApiView):
    """Security: researchers of the study who may see responses and add verdicts. Other experts
    judge what they are given."""

    needs = {"POST": ("studies.view_response", *REVIEW)}

    @extend_schema(
        operation_id="open_single",
        summary="Judge a response outside the sample; it counts for no rate",
        tags=TAGS,
        request=None,
        responses={200: TurnSerializer},
    )
    def post(self, request: Request, study: str, response_id: int) -> Response:
        rows = StudyResponse.objects.filter(assignment__task__round__study=self.study)
        response = self.found(rows, pk=response_id)
        unsampled = response.contributions.filter(pick=None).select_related(TO_STUDY)
        contribution = unsampled.order_by("position").first()
        if contribution is None:
            raise Refused(_("This response is in the sample, or has nothing to judge."))
        try:
            turn = queue.open_single(reviewer=self.user, contribution=contribution)
        except (queue.NotReviewable, UnknownTaskType) as refusal:
            raise Refused(
                _("This response cannot be reviewed: it is not confirmed, or gone.")
            ) from refusal
        return Response(TurnSerializer(turn).data)
