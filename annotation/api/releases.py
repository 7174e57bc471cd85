from typing import Any

from django.core.files.storage import default_storage
from django.http import FileResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Release, ReleaseRow
from annotation.releases.archives import is_packed, place_of
from annotation.releases.building import ReleaseRefused, check_name, seed_for
from annotation.releases.figures import figures_of
from annotation.releases.jobs import BUILD, PACK, VERIFY, build_payload
from annotation.releases.rule import LAYOUTS, ReleaseRule, TestFrom, read_ratios
from annotation.releases.splits import BadRatios
from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer
from studies.api.paging import NDJSON, NdjsonRenderer, PageQuery, page_of, page_schema, stream_of
from studies.api.problems import refusing
from studies.services.response_layout import PUBLISHED

TAGS = ["Releases"]
SEE, BUILDS = ("annotation.view_release",), ("annotation.view_release", "annotation.add_release")
ZIP = "application/zip"
EXAMPLE = OpenApiExample(
    "As the published dataset was split",
    value={"name": "v2", "ratios": ".8,.12,.08", "test_from": "expert-reviewed"},
    request_only=True,
)


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    rule = serializers.DictField()
    statistics = serializers.DictField()

    class Meta:
        model = Release
        fields = ("name", "seed", "rule", "sha256", "statistics", "made_at")
        read_only_fields = fields


class CountsSerializer(serializers.Serializer[Any]):
    """Means are null where there is nothing to take them of."""

    tuples = serializers.IntegerField()
    stories = serializers.IntegerField()
    state_tokens = serializers.FloatField(allow_null=True)
    changed_state_tokens = serializers.FloatField(allow_null=True)
    justification_sentences = serializers.FloatField(allow_null=True)
    revised_sentences = serializers.FloatField(allow_null=True)
    justification_revised_pct = serializers.FloatField(allow_null=True)
    revised_justification_pct = serializers.FloatField(allow_null=True)
    state_overlap_pct = serializers.FloatField(allow_null=True)
    story_overlap_pct = serializers.FloatField(allow_null=True)


class StatisticsSerializer(CountsSerializer):
    splits = serializers.DictField(child=CountsSerializer())
    withheld = serializers.IntegerField(help_text="Rows that are in no split.")


class NewReleaseSerializer(serializers.Serializer[Any]):
    name = serializers.SlugField(max_length=50, help_text="Such as v1.")
    ratios = serializers.CharField(
        max_length=60, default=".8,.12,.08", help_text="Training, validation and test."
    )
    test_from = serializers.ChoiceField(TestFrom.choices, default=TestFrom.ANY.value)
    layout = serializers.ChoiceField(LAYOUTS, default=PUBLISHED)
    seed = serializers.IntegerField(
        min_value=0, max_value=2**63 - 1, required=False, help_text="By itself the newest one's."
    )


class ReleaseRowSerializer(serializers.ModelSerializer[ReleaseRow]):
    response = serializers.IntegerField(source="contribution.response_id")

    class Meta:
        model = ReleaseRow
        fields = ("position", "response", "split")
        read_only_fields = fields


class ReleasesView(ApiView):
    """Security: researchers of the study who may see releases; by POST those who may add some."""

    needs = {"GET": SEE, "POST": BUILDS}

    @extend_schema(
        operation_id="list_releases",
        summary="A study's releases",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(ReleaseSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        return page_of(request, self.study.releases.all(), ReleaseSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="build_release",
        summary="Freeze the accepted responses as a release, as a job",
        tags=TAGS,
        request=NewReleaseSerializer,
        responses={202: JobSerializer},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(NewReleaseSerializer)
        with refusing(BadRatios, ReleaseRefused):
            ratios = read_ratios(given["ratios"])
            check_name(found, given["name"])
        rule = ReleaseRule(ratios, TestFrom(given["test_from"]), given["layout"])
        seed = given.get("seed", seed_for(found))
        payload = build_payload(name=given["name"], seed=seed, rule=rule)
        job = tasks.start_job(kind=BUILD, study=found, payload=payload, user=self.user)
        return Response(JobSerializer(job).data, status=202)


class OfRelease(ApiView):
    """Security: researchers of the study who may see releases."""

    needs = {"GET": SEE}

    @property
    def release(self) -> Release:
        return self.found(self.study.releases.select_related("study"), name=self.kwargs["name"])


class ReleaseView(OfRelease):
    @extend_schema(
        operation_id="get_release",
        summary="One release, with its statistics",
        tags=TAGS,
        responses={200: ReleaseSerializer},
    )
    def get(self, request: Request, study: str, name: str) -> Response:
        return Response(ReleaseSerializer(self.release).data)


class ReleaseStatisticsView(OfRelease):
    @extend_schema(
        operation_id="count_release",
        summary="Its statistics, counted from the rows as they are now",
        tags=TAGS,
        responses={200: StatisticsSerializer},
    )
    def get(self, request: Request, study: str, name: str) -> Response:
        return Response(StatisticsSerializer(figures_of(self.release)).data)


class ReleaseRowsView(OfRelease):
    renderer_classes = (NdjsonRenderer,)

    @extend_schema(
        operation_id="stream_release_rows",
        summary="Which responses it holds in which split, one JSON object a line",
        tags=TAGS,
        responses={(200, NDJSON): OpenApiTypes.STR},
    )
    def get(self, request: Request, study: str, name: str) -> StreamingHttpResponse:
        rows = self.release.rows.select_related("contribution")
        return stream_of(rows, ReleaseRowSerializer, f"{study}-{name}")


class ZipRenderer(BaseRenderer):
    """Names the type of the archive, which is sent as it lies in the storage."""

    media_type = ZIP
    format = "zip"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        return bytes(data)


class ReleaseArchiveView(OfRelease):
    renderer_classes = (ZipRenderer,)

    @extend_schema(
        operation_id="get_release_files",
        summary="All files of a release in one archive, once they are written",
        tags=TAGS,
        responses={(200, ZIP): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, study: str, name: str) -> FileResponse:
        release = self.release
        if not is_packed(release):
            raise NotFound(_("The files are not written yet. Send a POST to …/files/ first."))
        return FileResponse(
            default_storage.open(place_of(release)),
            as_attachment=True,
            filename=f"{release.study.slug}-{release.name}.zip",
            content_type=ZIP,
        )


class StartView(OfRelease):
    needs = {"POST": SEE}

    def start(self, kind: str) -> Response:
        release = self.release
        payload = {"release": release.pk}
        job = tasks.start_job(kind=kind, study=release.study, payload=payload, user=self.user)
        return Response(JobSerializer(job).data, status=202)


class WriteFilesView(StartView):
    @extend_schema(
        operation_id="write_release_files",
        summary="Write the files of a release, as a job",
        tags=TAGS,
        request=None,
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str, name: str) -> Response:
        return self.start(PACK)


class VerifyView(StartView):
    @extend_schema(
        operation_id="verify_release",
        summary="Read and hash its rows again, as a job: are they what they were?",
        tags=TAGS,
        request=None,
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str, name: str) -> Response:
        return self.start(VERIFY)
