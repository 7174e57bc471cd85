"""Reports of a study: the table, its plot, the files, and the items behind a number."""

from collections import Counter
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.urls import reverse
from django.utils.translation import gettext as _

from evaluation.admin.report_behind import behind_of
from evaluation.admin.report_figure import figure_of
from evaluation.admin.report_forms import ReportForm
from evaluation.admin.report_table import tables_of
from evaluation.models import Instrument
from evaluation.reports.making import Made, make_report
from evaluation.reports.reading import rated_instruments, rated_systems, reports_for
from evaluation.reports.registry import REPORTS, Report
from evaluation.reports.runs.reading import runs_reports_for
from evaluation.reports.scores import Cell, ReportRefused
from evaluation.reports.scoring import NotScored
from evaluation.reports.writing import WRITERS
from evaluation.services.scoring import scoring_payload, scoring_under_way, start_scoring
from studies.admin.base import ModelAdmin, find, require
from studies.figures.theme import config
from studies.models import Study

SEE = "evaluation.view_rating"
ON_A_PAGE = 100
TYPES = {"csv": "text/csv", "latex": "application/x-latex", "json": "application/json"}
ENDINGS = {"csv": "csv", "latex": "tex", "json": "json"}


def overview(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """What was rated in the study, and the reports there are for it.

    Security: staff who may see ratings, of a study they research; others get 403 or 404.
    """
    study = _study(request, study_pk)
    may_import = request.user.has_perm("evaluation.add_resultfile")
    return admin.page(
        request,
        "admin/evaluation/report/overview.html",
        title=_("Evaluation"),
        original=study,
        study=study,
        systems=rated_systems(study),
        instruments=rated_instruments(study),
        reports=reports_for(study),
        runs_reports=runs_reports_for(study),
        may_import=may_import,
        first=(_("Import ratings"), "admin:evaluation_results_upload") if may_import else None,
    )


def show(admin: ModelAdmin, request: HttpRequest, study_pk: int, report: str) -> HttpResponse:
    """Security: as `overview`."""
    study, chosen = _study(request, study_pk), _report(report)
    form, made, refusal = _asked(request, study, chosen)
    figure = figure_of(made) if made else None
    unscored, query = isinstance(refusal, NotScored), _query(request)
    payload = scoring_payload(chosen, form.asked, query) if unscored else {}
    return admin.page(
        request,
        "admin/evaluation/report/page.html",
        title=str(chosen.title),
        status=422 if refusal and not unscored else 200,
        original=study,
        study=study,
        report=chosen,
        reports=REPORTS.values(),
        form=form,
        refusal=refusal,
        unscored=unscored,
        scoring=scoring_under_way(study, payload) if unscored else None,
        made=made,
        tables=tables_of(made) if made else [],
        figure=figure,
        query=query,
        drawn={figure.slug: figure.spec} if figure else {},
        themes={"light": config("light"), "dark": config("dark")},
    )


def score(admin: ModelAdmin, request: HttpRequest, study_pk: int, report: str) -> HttpResponse:
    """Start the job that scores what the report compares, where some is not scored yet. POST only.

    Security: as `overview`.
    """
    study, chosen = _study(request, study_pk), _report(report)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    form, _made, refusal = _asked(request, study, chosen)
    query = _query(request)
    if not isinstance(refusal, NotScored):
        messages.warning(request, str(refusal or _("All outputs are scored already.")))
        address = reverse("admin:evaluation_report", args=[study.pk, chosen.name])
        return HttpResponseRedirect(f"{address}?{query}", status=303)
    payload = scoring_payload(chosen, form.asked, query)
    job = start_scoring(study=study, payload=payload, user=request.user)
    admin.log_change(request, study, _("Outputs to be scored"))
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def behind(admin: ModelAdmin, request: HttpRequest, study_pk: int, report: str) -> HttpResponse:
    """The items that a number rests on, with what their raters said.

    Security: as `overview`. A number that the report does not have is 404.
    """
    study, chosen = _study(request, study_pk), _report(report)
    _form, made, _refusal = _asked(request, study, chosen)
    names = ("system", "rival", "question", "metric")
    given = {name: request.GET.get(f"cell_{name}", "") for name in names}
    found = behind_of(made, Cell(**given)) if made else None
    if made is None or found is None:
        raise Http404
    return admin.page(
        request,
        "admin/evaluation/report/behind.html",
        title=found.title,
        original=study,
        study=study,
        report=chosen,
        found=found,
        page_of_rows=Paginator(found.rows, ON_A_PAGE).get_page(request.GET.get("page")),
        query=_query(request),
    )


def download(admin: ModelAdmin, request: HttpRequest, study_pk: int, report: str) -> HttpResponse:
    """The report as ?format=csv, latex or json.

    Security: as `overview`. A report that cannot be made is 404; its page says why.
    """
    study, chosen = _study(request, study_pk), _report(report)
    format = request.GET.get("format", "")
    _form, made, _refusal = _asked(request, study, chosen)
    if made is None or format not in TYPES:
        raise Http404
    name = f"{study.slug}-{chosen.name}.{ENDINGS[format]}"
    return HttpResponse(
        WRITERS[format](made) + "\n",
        content_type=f"{TYPES[format]}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _study(request: HttpRequest, study_pk: int) -> Study:
    require(request, SEE)
    return find(request, Study, study_pk)


def _report(name: str) -> Report:
    if name not in REPORTS:
        raise Http404
    return REPORTS[name]


def _asked(
    request: HttpRequest, study: Study, report: Report
) -> tuple[ReportForm, Made | None, ReportRefused | None]:
    """The form, the report, or why there is none."""
    form = ReportForm(
        request.GET,
        systems=[name for name, _count in rated_systems(study)],
        instruments=_names([one for one in rated_instruments(study) if report.suits(one.declared)]),
        releases=_releases(study) if report.compares else [],
    )
    if not form.is_valid():
        return form, None, ReportRefused(_("Look at what is asked above."))
    try:
        return form, make_report(study, report, form.asked, works_out=False), None
    except ReportRefused as refusal:
        return form, None, refusal


def _releases(study: Study) -> list[str]:
    return list(study.releases.order_by("-pk").values_list("name", flat=True))


def _names(instruments: list[Instrument]) -> list[str]:
    """Short names, and where there are several versions each of them, too."""
    versions = Counter(one.slug for one in instruments)
    several = [f"{one.slug}@{one.version}" for one in instruments if versions[one.slug] > 1]
    return sorted([*versions, *several])


def _query(request: HttpRequest) -> str:
    """What is asked, for the addresses that go on from here."""
    asked: Any = request.GET.copy()
    for name in list(asked):
        if name in {"page", "format"} or name.startswith("cell_"):
            del asked[name]
    return str(asked.urlencode())
