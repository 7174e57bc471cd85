"""Tables of a study: of what raters said, and of what runs scored."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.reports.making import Asked, Made, make_report
from evaluation.reports.reading import reports_for
from evaluation.reports.registry import RULES, Report, UnknownReport, find_report
from evaluation.reports.runs.making import RunsMade, make_runs_report
from evaluation.reports.runs.reading import runs_reports_for
from evaluation.reports.runs.registry import RUNS_REPORTS
from evaluation.reports.scores import ReportRefused
from evaluation.reports.scoring import NotScored
from evaluation.reports.writing import WRITERS
from evaluation.services.scoring import scoring_payload, start_scoring
from studies.api.base import ApiView
from studies.api.jobs import JobSerializer
from studies.api.problems import Refused, refusing
from studies.models import Study

TAGS = ["Evaluation"]
SEE = "evaluation.view_rating"


class KnownReportSerializer(serializers.Serializer[Any]):
    report = serializers.CharField(source="name")
    title = serializers.CharField()
    about = serializers.CharField()


class AskedSerializer(serializers.Serializer[Any]):
    system = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        max_length=100,
        help_text="These systems alone; for agreement they are pooled.",
    )
    instrument = serializers.CharField(
        max_length=60,
        required=False,
        help_text="Where ratings of several suit the report; NAME@2 is one version of it.",
    )
    rule = serializers.ChoiceField(
        list(RULES),
        default=RULES[0],
        help_text="What was computed for the published tables, or what the paper's text says.",
    )
    expected_items = serializers.IntegerField(
        min_value=1,
        max_value=10**6,
        required=False,
        help_text="Of each system; an absent one counts as no acceptable output.",
    )
    first_submitted = serializers.IntegerField(
        min_value=1,
        max_value=10**9,
        required=False,
        help_text="The first so many ratings of each system.",
    )
    release = serializers.SlugField(
        max_length=50,
        required=False,
        help_text="What people wrote, for reports that compare with it; by itself the newest.",
    )


class ReportQuery(AskedSerializer):
    format = serializers.ChoiceField(
        list(WRITERS), default="json", help_text="How `written` is written."
    )


class ReportSerializer(serializers.Serializer[Any]):
    report = serializers.CharField()
    rows = serializers.ListField(child=serializers.DictField(), help_text="A number each.")
    written = serializers.CharField(help_text="The table, as `manage.py report` prints it.")


class ReportsView(ApiView):
    """Security: researchers of the study who may see ratings and runs."""

    needs = {"GET": (SEE, "modeling.view_run")}

    @extend_schema(
        operation_id="list_reports",
        summary="The reports that the study has ratings or ended runs for",
        tags=TAGS,
        responses={200: KnownReportSerializer(many=True)},
    )
    def get(self, request: Request, study: str) -> Response:
        found = self.study
        known = [*reports_for(found), *runs_reports_for(found)]
        return Response(KnownReportSerializer(known, many=True).data)


class ReportView(ApiView):
    """Security: as `ReportsView`."""

    needs = {"GET": (SEE, "modeling.view_run")}
    refuses_reading = True

    @extend_schema(
        operation_id="get_report",
        summary="One report; 422 says why it cannot be made, or that outputs are not scored yet",
        tags=TAGS,
        parameters=[ReportQuery],
        responses={200: ReportSerializer},
    )
    def get(self, request: Request, study: str, report: str) -> Response:
        found, given = self.study, self.asked(ReportQuery)
        with refusing(ReportRefused):
            made = _made(found, report, given)
        written = WRITERS[given["format"]](made)
        return Response({"report": report, "rows": made.rows, "written": written})


class ScoreReportView(ApiView):
    """Security: as `ReportView`."""

    needs = {"POST": (SEE, "studies.view_job")}

    @extend_schema(
        operation_id="score_report",
        summary="Have the outputs scored that a report compares and nobody has scored, as a job",
        tags=TAGS,
        request=AskedSerializer,
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str, report: str) -> Response:
        found, given = self.study, self.given(AskedSerializer)
        chosen, asked = _known(report), _asked(given)
        with refusing(ReportRefused):
            try:
                make_report(found, chosen, asked, works_out=False)
            except NotScored:
                payload = scoring_payload(chosen, asked, urlencode(given, doseq=True))
                job = start_scoring(study=found, payload=payload, user=self.user)
                return Response(JobSerializer(job).data, status=202)
        raise Refused(_("All outputs are scored already."))


def _made(study: Study, name: str, given: dict[str, Any]) -> Made | RunsMade:
    """Raises ReportRefused, and Http404."""
    if name in RUNS_REPORTS:
        return make_runs_report(study, RUNS_REPORTS[name], _asked(given))
    return make_report(study, _known(name), _asked(given), works_out=False)


def _known(name: str) -> Report:
    try:
        return find_report(name)
    except UnknownReport as unknown:
        raise Http404 from unknown


def _asked(given: dict[str, Any]) -> Asked:
    named = {name: value for name, value in given.items() if name not in {"system", "format"}}
    return Asked(systems=tuple(given.get("system", ())), **named)
