from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer
from studies.api.paging import NDJSON, NdjsonRenderer, PageQuery, page_of, page_schema, stream_of
from studies.api.problems import refusing
from studies.api.uploads import BodyQuery, FileSerializer, NdjsonParser, file_request
from studies.models import Story
from studies.services.kept_files import CannotKeep
from studies.services.story_upload import KIND, keep_upload
from studies.story_files import AUTO, FORMAT_NAMES

TAGS = ["Stories"]


class StorySerializer(serializers.ModelSerializer[Story]):
    story = serializers.CharField(source="external_id", help_text="The id that its file gave it.")
    sentences = serializers.ListField(child=serializers.CharField())
    roles = serializers.ListField(child=serializers.CharField(allow_blank=True))

    class Meta:
        model = Story
        fields = ("story", "title", "source", "sentences", "roles", "created_at")
        read_only_fields = fields


class StoryFileSerializer(FileSerializer):
    format = serializers.ChoiceField(FORMAT_NAMES, default=AUTO)
    dry_run = serializers.BooleanField(
        default=False,
        help_text="Only say what would happen: a job that found problems is done, and not ok.",
    )


class StoryBodyQuery(BodyQuery):
    format = serializers.ChoiceField(FORMAT_NAMES, required=False)
    dry_run = serializers.BooleanField(required=False)


class StoriesView(ApiView):
    """Security: researchers of the study who may see stories; by POST those who may add some."""

    needs = {"GET": ("studies.view_story",), "POST": ("studies.add_story",)}
    parser_classes = (MultiPartParser, NdjsonParser)

    @extend_schema(
        operation_id="list_stories",
        summary="A study's stories",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(StorySerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        return page_of(request, self.study.stories.all(), StorySerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="import_stories",
        summary="Import a story file: a job adds all of its stories, or none",
        tags=TAGS,
        parameters=[StoryBodyQuery],
        request=file_request(StoryFileSerializer),
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(StoryFileSerializer)
        with refusing(CannotKeep):
            payload = keep_upload(**given)
        job = tasks.start_job(kind=KIND, study=found, payload=payload, user=self.user)
        return Response(JobSerializer(job).data, status=202)


class StoryStreamView(ApiView):
    """Security: as the list."""

    needs = {"GET": ("studies.view_story",)}
    renderer_classes = (NdjsonRenderer,)

    @extend_schema(
        operation_id="stream_stories",
        summary="All stories, one JSON object a line",
        tags=TAGS,
        responses={(200, NDJSON): OpenApiTypes.STR},
    )
    def get(self, request: Request, study: str) -> StreamingHttpResponse:
        found = self.study
        return stream_of(found.stories.all(), StorySerializer, f"{found.slug}-stories")
