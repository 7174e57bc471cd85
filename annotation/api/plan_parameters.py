"""What a review plan says: the rounds under review, how much is judged, who is proficient."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.plans import SEE, TAGS, OfPlan
from annotation.models import ReviewPlan
from annotation.review.plans import PROFICIENT, RULE, change_plan, ensure_plan, rounds_to_review
from studies.api.launching import LARGEST
from studies.api.problems import checking
from studies.models import Study

MOST_ROUNDS = 1000
PARAMETERS = {
    "rounds": [1, 2],
    "sample_share": "0.300",
    "slower_share": "0.200",
    "slower_plus": 10,
    "sample_most": 40,
    "double_share": "0.100",
    "min_responses": 50,
    "max_rejected_share": "0.200",
}
EXAMPLE = OpenApiExample(
    "As in the published study", value={**PARAMETERS, "seed": 1719}, response_only=True
)
CHANGE = OpenApiExample("More for two experts", value={"double_share": "0.250"}, request_only=True)


class RoundNumbers(serializers.ListField):
    child = serializers.IntegerField(min_value=1, max_value=LARGEST)

    def to_representation(self, rounds: Any) -> list[int]:
        return list(rounds.order_by("number").values_list("number", flat=True))


class ParametersSerializer(serializers.ModelSerializer[ReviewPlan]):
    rounds = RoundNumbers(max_length=MOST_ROUNDS, help_text="The rounds under review.")

    class Meta:
        model = ReviewPlan
        fields = ("rounds", *RULE, *PROFICIENT, "seed")
        read_only_fields = ("seed",)


class PlanParametersView(OfPlan):
    """Security: researchers of the study who may see review plans; by PATCH those who may change
    them, too. A study without a plan gets one then."""

    needs = {"GET": SEE, "PATCH": (*SEE, "annotation.change_reviewplan")}

    @extend_schema(
        operation_id="get_plan_parameters",
        summary="What the review plan says",
        tags=TAGS,
        responses={200: ParametersSerializer},
        examples=[EXAMPLE],
    )
    def get(self, request: Request, study: str) -> Response:
        return Response(ParametersSerializer(self.plan).data)

    @extend_schema(
        operation_id="change_plan_parameters",
        summary="Change what the review plan says; what is left out stays, as does what was drawn",
        tags=TAGS,
        request=ParametersSerializer,
        responses={200: ParametersSerializer},
        examples=[EXAMPLE, CHANGE],
    )
    def patch(self, request: Request, study: str) -> Response:
        found, changes = self.study, self.given(ParametersSerializer, partial=True)
        if "rounds" in changes:
            changes["rounds"] = _ids_of(found, changes["rounds"])
        with checking():
            plan = change_plan(plan=ensure_plan(study=found), changes=changes)
        self.tell_audit(changes)
        return Response(ParametersSerializer(plan).data)


def _ids_of(study: Study, numbers: list[int]) -> list[int]:
    """Raises ValidationError for a number that is not one of the study's rounds to review."""
    rounds = rounds_to_review(Study.objects.filter(pk=study.pk)).filter(number__in=numbers)
    found = list(rounds.values_list("pk", flat=True))
    if len(found) < len(set(numbers)):
        text = _("This study has no such round, or it is a pilot.")
        raise serializers.ValidationError({"rounds": [text]})
    return found
