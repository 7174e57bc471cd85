from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer
from studies.api.paging import NDJSON, NdjsonRenderer, PageQuery, page_of, page_schema, stream_of
from studies.api.problems import refusing
from studies.api.uploads import BodyQuery, FileSerializer, NdjsonParser, file_request
from studies.models import Response, ResponseState
from studies.services.kept_files import CannotKeep
from studies.services.response_reading import AUTO, FORMATS
from studies.services.response_upload import KIND, keep_upload
from studies.withdrawn import is_withdrawn

TAGS = ["Responses"]
EXAMPLE = OpenApiExample(
    "A response",
    value={
        "response": 71,
        "round": 1,
        "story": "evening-03",
        "participant": "w-5c1e0a97b2",
        "task_type": "state_annotation",
        "schema_version": 1,
        "answers": {"assertion": "The kettle is hot.", "justification": [1, 3]},
        "warnings": [],
        "state": "confirmed",
        "withdrawn": False,
        "payment": "approved",
        "submitted_at": "2026-03-02T09:00:00Z",
        "confirmed_at": "2026-03-02T09:00:04Z",
    },
    response_only=True,
)


class ResponseSerializer(serializers.ModelSerializer[Response]):
    response = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="assignment.task.round.number")
    story = serializers.CharField(
        source="assignment.task.story.external_id", allow_null=True, default=None
    )
    participant = serializers.CharField(
        source="assignment.participant.pseudonym",
        allow_null=True,
        default=None,
        help_text="The worker's pseudonym; null where an imported file names nobody.",
    )
    answers = serializers.DictField()
    warnings = serializers.ListField(source="cautions", child=serializers.DictField())
    withdrawn = serializers.BooleanField(
        help_text="Whether its worker took it back: it is neither judged, exported nor released."
    )
    payment = serializers.CharField(
        source="assignment.state", help_text="Where its assignment stands, such as approved."
    )

    class Meta:
        model = Response
        fields = (
            *("response", "round", "story", "participant", "task_type", "schema_version"),
            *("answers", "warnings", "state", "withdrawn", "payment"),
            *("submitted_at", "confirmed_at"),
        )
        read_only_fields = fields


class ResponseFilter(serializers.Serializer[Any]):
    round = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)
    state = serializers.ChoiceField(ResponseState.choices, required=False)
    withdrawn = serializers.BooleanField(required=False, allow_null=True, default=None)
    participant = serializers.CharField(max_length=20, required=False)

    def of(self, rows: QuerySet[Response], asked: dict[str, Any]) -> QuerySet[Response]:
        places = {
            "round": "assignment__task__round__number",
            "state": "state",
            "withdrawn": "withdrawn",
            "participant": "assignment__participant__pseudonym",
        }
        wanted = {name: value for name, value in asked.items() if value is not None}
        return rows.filter(**{places[name]: wanted[name] for name in places if name in wanted})


class ResponseQuery(ResponseFilter, PageQuery):
    pass


class ResponseFileSerializer(FileSerializer):
    format = serializers.ChoiceField(FORMATS, default=AUTO)


class ResponseBodyQuery(BodyQuery):
    format = serializers.ChoiceField(FORMATS, required=False)


class ResponseView(ApiView):
    """Security: researchers of the study who may see responses."""

    needs = {"GET": ("studies.view_response",)}

    def rows(self, asked: dict[str, Any]) -> QuerySet[Response]:
        rounds = list(self.study.rounds.values_list("pk", flat=True))
        rows = Response.objects.filter(assignment__task__round__in=rounds).select_related(
            "assignment__participant", "assignment__task__story", "assignment__task__round"
        )
        return ResponseFilter().of(rows.annotate(withdrawn=is_withdrawn()), asked)


class ResponsesView(ResponseView):
    """Security: as above; by POST those who may add rounds and stories."""

    needs = {
        "GET": ("studies.view_response",),
        "POST": ("studies.view_response", "studies.add_round", "studies.add_story"),
    }
    parser_classes = (MultiPartParser, NdjsonParser)

    @extend_schema(
        operation_id="list_responses",
        summary="A study's responses",
        tags=TAGS,
        parameters=[ResponseQuery],
        responses={200: page_schema(ResponseSerializer)},
    )
    def get(self, request: Request, study: str) -> Answer:
        asked = self.asked(ResponseQuery)
        return page_of(request, self.rows(asked), ResponseSerializer, asked)

    @extend_schema(
        operation_id="import_responses",
        summary="Import responses made elsewhere: a job adds a past round of all of them, or none",
        tags=TAGS,
        parameters=[ResponseBodyQuery],
        request=file_request(ResponseFileSerializer),
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str) -> Answer:
        found, given = self.study, self.given(ResponseFileSerializer)
        with refusing(CannotKeep):
            payload = keep_upload(**given)
        job = tasks.start_job(kind=KIND, study=found, payload=payload, user=self.user)
        return Answer(JobSerializer(job).data, status=202)


class OneResponseView(ResponseView):
    @extend_schema(
        operation_id="get_response",
        summary="One response",
        tags=TAGS,
        responses={200: ResponseSerializer},
        examples=[EXAMPLE],
    )
    def get(self, request: Request, study: str, response_id: int) -> Answer:
        return Answer(ResponseSerializer(self.found(self.rows({}), pk=response_id)).data)


class ResponseStreamView(ResponseView):
    renderer_classes = (NdjsonRenderer,)

    @extend_schema(
        operation_id="stream_responses",
        summary="All responses, one JSON object a line",
        tags=TAGS,
        parameters=[ResponseFilter],
        responses={(200, NDJSON): OpenApiTypes.STR},
    )
    def get(self, request: Request, study: str) -> StreamingHttpResponse:
        rows = self.rows(self.asked(ResponseFilter))
        return stream_of(rows, ResponseSerializer, f"{study}-responses")
