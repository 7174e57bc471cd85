from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.releases.figure_texts import WRITERS
from annotation.releases.file_statistics import KIND, keep_uploads
from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer
from studies.api.problems import refusing
from studies.api.uploads import BodyQuery, FilesField, NdjsonParser, file_request
from studies.services.kept_files import CannotKeep

MOST_FILES = 20


class StatisticsFilesSerializer(serializers.Serializer[Any]):
    file = FilesField(allow_empty=False, max_length=MOST_FILES, help_text="One or several.")
    format = serializers.ChoiceField(
        list(WRITERS), default="json", help_text="How `written` in the job's result is written."
    )


class StatisticsBodyQuery(BodyQuery):
    format = serializers.ChoiceField(list(WRITERS), required=False)


class FileStatisticsView(ApiView):
    """Security: researchers of the study, with which the job is kept, who may see releases and
    jobs. Nothing of the files enters the study."""

    needs = {"POST": ("annotation.view_release", "studies.view_job")}
    parser_classes = (MultiPartParser, NdjsonParser)

    @extend_schema(
        operation_id="count_files",
        summary="Statistics of files of responses, all of them together: a job counts them",
        tags=["Releases"],
        parameters=[StatisticsBodyQuery],
        request=file_request(StatisticsFilesSerializer),
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(StatisticsFilesSerializer)
        with refusing(CannotKeep):
            payload = keep_uploads(files=given["file"], format=given["format"])
        job = tasks.start_job(kind=KIND, study=found, payload=payload, user=self.user)
        return Response(JobSerializer(job).data, status=202)
