"""A worker takes back what they gave."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.releases.withdrawal import preview_withdrawal, withdraw_participant
from studies.api.base import ApiView
from studies.models import Participant

TAGS = ["Participants"]
EXAMPLE = OpenApiExample(
    "Two contributions, in one release",
    value={
        "participant": "w-5c1e0a97b2",
        "contributions": 2,
        "releases": [{"name": "v1", "rows": 2}],
        "uses": [{"kind": "run", "name": "t5-base", "id": 4, "rows": 2}],
    },
    response_only=True,
)


class HoldingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    rows = serializers.IntegerField(help_text="How many rows of this worker it holds.")


class UseSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    name = serializers.CharField()
    id = serializers.IntegerField()
    rows = serializers.IntegerField(help_text="How many rows of this worker it holds.")


class WithdrawalSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField()
    contributions = serializers.IntegerField(help_text="How many are taken out.")
    releases = HoldingSerializer(many=True, help_text="Those that hold some, and stay.")
    uses = UseSerializer(many=True, help_text="What was made of these: model runs.")


class WithdrawalView(ApiView):
    """Security: researchers of the study who may change participants."""

    needs = {
        "GET": ("studies.view_participant", "annotation.view_release"),
        "POST": ("studies.view_participant", "studies.change_participant"),
    }

    @property
    def participant(self) -> Participant:
        rows = self.study.participants.all()
        return self.found(rows, pseudonym=self.kwargs["participant"])

    @extend_schema(
        operation_id="preview_withdrawal",
        summary="What withdrawing would take out, and which releases hold it",
        tags=TAGS,
        responses={200: WithdrawalSerializer},
        examples=[EXAMPLE],
    )
    def get(self, request: Request, study: str, participant: str) -> Response:
        found = preview_withdrawal(participant=self.participant)
        return Response(WithdrawalSerializer(found.as_dict()).data)

    @extend_schema(
        operation_id="withdraw_participant",
        summary="Take out what this worker gave: it is judged, exported and released no more",
        tags=TAGS,
        request=None,
        responses={200: WithdrawalSerializer},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, study: str, participant: str) -> Response:
        done = withdraw_participant(participant=self.participant)
        return Response(WithdrawalSerializer(done.as_dict()).data)
