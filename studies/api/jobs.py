from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from studies import jobs
from studies.api.base import ApiView
from studies.models import Job

TAGS = ["Jobs"]
JOB = {
    "job": 12,
    "kind": "publish_round",
    "study": "evenings",
    "state": "running",
    "done": 40,
    "total": 96,
    "message": "Publishing slots",
    "error": "",
    "result": {},
    "created_at": "2026-03-02T09:00:00Z",
    "finished_at": None,
}
EXAMPLE = OpenApiExample("A job at work", value=JOB, response_only=True)


class JobSerializer(serializers.ModelSerializer[Job]):
    job = serializers.IntegerField(source="pk")
    study = serializers.CharField(source="study.slug")
    result = serializers.DictField(
        help_text="What came of it, such as an import's report with its problems."
    )

    class Meta:
        model = Job
        fields = (
            *("job", "kind", "study", "state", "done", "total", "message", "error"),
            *("result", "created_at", "finished_at"),
        )
        read_only_fields = fields


class JobView(ApiView):
    """Security: staff who may see jobs, in their own studies."""

    needs = {"GET": ("studies.view_job",)}

    @extend_schema(
        operation_id="get_job",
        summary="How far a job has come",
        tags=TAGS,
        responses={200: JobSerializer},
        examples=[EXAMPLE],
    )
    def get(self, request: Request, job: int) -> Response:
        rows = self.visible(Job.objects.select_related("study")).filter(study__isnull=False)
        return Response(JobSerializer(self.found(rows, pk=job)).data)


class CancelJobView(ApiView):
    """Security: as `JobView`; who did not ask for the job may change jobs."""

    needs = {"POST": ("studies.view_job",)}

    @extend_schema(
        operation_id="cancel_job",
        summary="Ask a job to stop; one that has ended stays as it is",
        tags=TAGS,
        request=None,
        responses={200: JobSerializer},
    )
    def post(self, request: Request, job: int) -> Response:
        rows = self.visible(Job.objects.select_related("study")).filter(study__isnull=False)
        found = self.found(rows, pk=job)
        mine = found.requested_by_id == self.user.pk
        if not mine and not self.user.has_perm("studies.change_job"):
            raise PermissionDenied
        jobs.request_cancel(found)
        found.refresh_from_db()
        return Response(JobSerializer(found).data)


def started(job: Job, **more: Any) -> Response:
    """What is answered where a job goes on with it."""
    return Response({**more, "job": JobSerializer(job).data}, status=202)
