"""Files of ratings made elsewhere: imported by a job, and taken back."""

from dataclasses import replace
from typing import Any

from django.core.exceptions import ValidationError
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.admin.result_forms import UploadResultsForm
from evaluation.models import ResultFile
from evaluation.services.instruments import UnknownInstrument, find_instrument
from evaluation.services.result_upload import KIND, keep_results
from evaluation.services.withdrawing import LONGEST_WHY, WithdrawalRefused, withdraw_results
from studies import tasks
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import checking, refusing
from studies.api.uploads import FileSerializer
from studies.models import Study
from studies.services.kept_files import CannotKeep

TAGS = ["Evaluation"]
SEE = "evaluation.view_resultfile"
MOST_QUESTIONS = 100


class ImportedFileSerializer(serializers.ModelSerializer[ResultFile]):
    result_file = serializers.IntegerField(source="pk")
    file = serializers.CharField(source="name")
    instrument = serializers.SerializerMethodField(help_text="Short name and version.")
    columns = serializers.DictField(help_text="What each question was read from.")

    class Meta:
        model = ResultFile
        fields = (
            *("result_file", "file", "sha256", "instrument", "system", "rival", "columns"),
            *("left_out", "imported_at", "withdrawn_at", "withdrawn_why"),
        )
        read_only_fields = fields

    def get_instrument(self, file: ResultFile) -> str:
        return f"{file.instrument.slug}@{file.instrument.version}"


class NewImportedFileSerializer(FileSerializer):
    instrument = serializers.CharField(
        max_length=60, help_text="What was asked; NAME@2 is one version of it."
    )
    system = serializers.CharField(max_length=100, help_text="Whose outputs were rated.")
    rival = serializers.CharField(
        max_length=100, required=False, default="", help_text="Where pairs were rated."
    )
    map = serializers.CharField(
        max_length=5000,
        required=False,
        default="",
        help_text="JSON that names columns, where they are not called as usual.",
    )
    reverse = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        default=list,
        max_length=MOST_QUESTIONS,
        help_text="Questions whose options stand in the reverse order in the file.",
    )


class WhySerializer(serializers.Serializer[Any]):
    why = serializers.CharField(max_length=LONGEST_WHY, help_text="Kept with the file.")


class ResultFilesView(ApiView):
    """Security: researchers of the study who may see result files; by POST those who may add
    some."""

    needs = {"GET": (SEE,), "POST": (SEE, "evaluation.add_resultfile")}
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="list_result_files",
        summary="Files of ratings made elsewhere, those withdrawn, too",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(ImportedFileSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        rows = ResultFile.objects.filter(study=self.study).select_related("instrument")
        return page_of(request, rows, ImportedFileSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="import_ratings",
        summary="Import a batch result file of MTurk: a job adds all of its ratings, or none",
        tags=TAGS,
        request={"multipart/form-data": NewImportedFileSerializer},
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(NewImportedFileSerializer)
        checked = _checked(found, given)
        named = {name: checked[name] for name in ("file", "study", "instrument", "system", "rival")}
        with refusing(CannotKeep):
            kept = keep_results(**named, map=checked["map_data"])
        payload = replace(kept, reverse=tuple(given["reverse"])).as_dict()
        job = tasks.start_job(kind=KIND, study=found, payload=payload, user=self.user)
        return Response(JobSerializer(job).data, status=202)


class WithdrawResultsView(ApiView):
    """Security: researchers of the study who may change result files."""

    needs = {"POST": (SEE, "evaluation.change_resultfile")}

    @extend_schema(
        operation_id="withdraw_ratings",
        summary="Have a file's ratings count no more; it can be imported again",
        tags=TAGS,
        request=WhySerializer,
        responses={200: ImportedFileSerializer},
        examples=[
            OpenApiExample("The wrong system", value={"why": "It was t5-large."}, request_only=True)
        ],
    )
    def post(self, request: Request, study: str, result_file: int) -> Response:
        rows = ResultFile.objects.filter(study=self.study)
        file, given = self.found(rows, pk=result_file), self.given(WhySerializer)
        with refusing(WithdrawalRefused):
            withdrawn = withdraw_results(file=file, why=given["why"], user=self.user)
        return Response(ImportedFileSerializer(withdrawn).data)


def _checked(study: Study, given: dict[str, Any]) -> dict[str, Any]:
    """As the form of the admin checks an upload. Raises ValidationError."""
    try:
        instrument = find_instrument(given["instrument"])
    except UnknownInstrument as unknown:
        raise serializers.ValidationError({"instrument": [str(unknown)]}) from unknown
    data = given | {"study": study.pk, "instrument": instrument.pk}
    own = Study.objects.filter(pk=study.pk)
    form = UploadResultsForm(data, {"file": given["file"]}, studies=own)
    with checking():
        if not form.is_valid():
            raise ValidationError({name: list(said) for name, said in form.errors.items()})
    return dict(form.cleaned_data)
