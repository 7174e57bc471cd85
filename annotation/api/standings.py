from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Standing
from annotation.proficiency.changes import changes_of, foresee
from annotation.proficiency.deciding import apply_standings
from annotation.proficiency.rule import ProficiencyRule
from annotation.proficiency.standings import described, plan_of, standings_of
from annotation.proficiency.words import say_needed
from annotation.review.plans import proficiency_rule
from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer

TAGS = ["Standings"]
EXAMPLE = OpenApiExample(
    "A proficient worker",
    value={
        "pseudonym": "w-5c1e0a97b2",
        "n": 90,
        "e": 27,
        "reviewed": 27,
        "rejected": 3,
        "rate": 0.111,
        "interval": [0.039, 0.281],
        "standing": "proficient",
        "needed": "",
    },
    response_only=True,
)


class StandingSerializer(serializers.Serializer[Any]):
    pseudonym = serializers.CharField()
    n = serializers.IntegerField(help_text="Responses under review.")
    e = serializers.IntegerField(help_text="How many of them experts must judge.")
    reviewed = serializers.IntegerField()
    rejected = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True, help_text="The share rejected.")
    interval = serializers.ListField(
        child=serializers.FloatField(), help_text="Wilson's 95% interval of the share."
    )
    standing = serializers.ChoiceField(Standing.choices)
    needed = serializers.CharField(
        allow_blank=True, help_text="What keeps them from being proficient, in words."
    )


class ForeseenSerializer(serializers.Serializer[Any]):
    written = serializers.IntegerField(help_text="Decisions.")
    granted = serializers.IntegerField(help_text="Workers who become proficient.")
    withdrawn = serializers.IntegerField(help_text="Workers who are no longer.")
    accepted = serializers.IntegerField(help_text="Contributions.")
    rejected = serializers.IntegerField(help_text="Contributions.")
    approved = serializers.IntegerField(help_text="Assignments that are paid.")
    cost_usd = serializers.DecimalField(max_digits=14, decimal_places=2)


class StandingsView(ApiView):
    """Security: researchers of the study who may see decisions."""

    needs = {"GET": ("annotation.view_decision",)}

    @extend_schema(
        operation_id="list_standings",
        summary="Where each worker stands, most responses first",
        tags=TAGS,
        responses={200: StandingSerializer(many=True)},
        examples=[EXAMPLE],
    )
    def get(self, request: Request, study: str) -> Response:
        found = self.study
        plan = plan_of(found)
        rule = proficiency_rule(plan) if plan is not None else ProficiencyRule()
        rows = [
            described(worker) | {"needed": say_needed(worker.evidence, rule)}
            for worker in standings_of(found)
        ]
        return Response(StandingSerializer(rows, many=True).data)


class ApplyView(ApiView):
    """Security: as the list; by POST those who may add decisions."""

    needs = {
        "GET": ("annotation.view_decision",),
        "POST": ("annotation.view_decision", "annotation.add_decision"),
    }

    @extend_schema(
        operation_id="foresee_standings",
        summary="What applying the standings would change now",
        tags=TAGS,
        responses={200: ForeseenSerializer},
    )
    def get(self, request: Request, study: str) -> Response:
        return Response(ForeseenSerializer(foresee(changes_of(self.study))).data)

    @extend_schema(
        operation_id="apply_standings",
        summary="Write the standings down and act on them, as a job",
        tags=TAGS,
        request=None,
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        job = tasks.wake(apply_standings(study=self.study, user=self.user))
        return Response(JobSerializer(job).data, status=202)
