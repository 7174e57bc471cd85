"""Workers under their pseudonyms, and who of them is proficient."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studies import tasks
from studies.api.base import ApiView
from studies.api.launching import LARGEST
from studies.api.paging import PageQuery, page_of, page_schema
from studies.models import Participant, Study
from studies.services import qualification
from studies.services.participant_figures import with_work

TAGS = ["Participants"]
SEE = ("studies.view_participant",)
CHANGE = ("studies.view_participant", "studies.change_participant")


class ParticipantSerializer(serializers.ModelSerializer[Participant]):
    participant = serializers.CharField(source="pseudonym")
    proficient = serializers.SerializerMethodField()
    responses = serializers.IntegerField(source="response_count", help_text="Confirmed ones.")
    approved = serializers.IntegerField(source="approved_count")
    rejected = serializers.IntegerField(source="rejected_count")
    first_seen = serializers.DateTimeField(source="created_at")

    class Meta:
        model = Participant
        fields = (
            *("participant", "proficient", "responses", "approved", "rejected"),
            *("consented_at", "first_seen"),
        )
        read_only_fields = fields

    def get_proficient(self, participant: Participant) -> bool:
        return participant.qualified_at is not None


class ParticipantQuery(PageQuery):
    proficient = serializers.BooleanField(required=False, allow_null=True, default=None)


class ProficientSerializer(serializers.Serializer[Any]):
    proficient = serializers.BooleanField()


class SuggestionQuery(serializers.Serializer[Any]):
    min_approved = serializers.IntegerField(
        min_value=1, max_value=LARGEST, default=5, help_text="How many approved responses it takes."
    )


class SuggestionSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(source="participant.pseudonym")
    approved = serializers.IntegerField()


class GrantedSerializer(serializers.Serializer[Any]):
    granted = serializers.IntegerField(help_text="How many are proficient now and were not.")


class ParticipantsView(ApiView):
    """Security: researchers of the study who may see participants."""

    needs = {"GET": SEE}

    @extend_schema(
        operation_id="list_participants",
        summary="A study's workers, under their pseudonyms",
        tags=TAGS,
        parameters=[ParticipantQuery],
        responses={200: page_schema(ParticipantSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        asked, rows = self.asked(ParticipantQuery), with_work(self.study.participants.all())
        if asked["proficient"] is not None:
            rows = rows.filter(qualified_at__isnull=not asked["proficient"])
        return page_of(request, rows, ParticipantSerializer, asked)


class OfParticipant(ApiView):
    @property
    def participant(self) -> Participant:
        rows = with_work(self.study.participants.all())
        return self.found(rows, pseudonym=self.kwargs["participant"])


class ParticipantView(OfParticipant):
    """Security: as the list; by POST those who may change participants."""

    needs = {"GET": SEE, "POST": CHANGE}

    @extend_schema(
        operation_id="get_participant",
        summary="One worker",
        tags=TAGS,
        responses={200: ParticipantSerializer},
    )
    def get(self, request: Request, study: str, participant: str) -> Response:
        return Response(ParticipantSerializer(self.participant).data)

    @extend_schema(
        operation_id="set_proficient",
        summary="Call a worker proficient, or no longer; the marketplace is told",
        tags=TAGS,
        request=ProficientSerializer,
        responses={200: ParticipantSerializer},
        examples=[OpenApiExample("Proficient", value={"proficient": True}, request_only=True)],
    )
    def post(self, request: Request, study: str, participant: str) -> Response:
        found, given = self.participant, self.given(ProficientSerializer)
        wish = (
            qualification.grant_qualification
            if given["proficient"]
            else qualification.withdraw_qualification
        )
        with transaction.atomic():
            wish(participants=[found])
            tasks.send_on_commit(tasks.apply_qualifications)
        return Response(ParticipantSerializer(self.participant).data)


class SuggestionsView(ApiView):
    """Security: as the list; by POST those who may change participants."""

    needs = {"GET": SEE, "POST": CHANGE}

    @extend_schema(
        operation_id="list_suggestions",
        summary="Who could be called proficient: enough approved responses, none rejected",
        tags=TAGS,
        parameters=[SuggestionQuery],
        responses={200: SuggestionSerializer(many=True)},
    )
    def get(self, request: Request, study: str) -> Response:
        found = self.suggested(self.study, self.asked(SuggestionQuery))
        return Response(SuggestionSerializer(found, many=True).data)

    @extend_schema(
        operation_id="follow_suggestions",
        summary="Call all of these proficient",
        tags=TAGS,
        request=SuggestionQuery,
        responses={200: GrantedSerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        found = self.suggested(self.study, self.given(SuggestionQuery))
        with transaction.atomic():
            able = [suggestion.participant for suggestion in found]
            granted = qualification.grant_qualification(participants=able)
            tasks.send_on_commit(tasks.apply_qualifications)
        return Response({"granted": granted})

    def suggested(self, study: Study, asked: dict[str, Any]) -> list[qualification.Suggestion]:
        return qualification.suggest_participants(study=study, min_approved=asked["min_approved"])
