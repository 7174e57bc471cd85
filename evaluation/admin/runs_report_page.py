"""Reports on the runs of a study: their tables and files."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from evaluation.instruments.error_analysis import STATE_TYPE, STATE_TYPES
from evaluation.reports import automatic
from evaluation.reports.registry import REPORTS
from evaluation.reports.runs.making import Grid, RunsMade, grids_of, make_runs_report
from evaluation.reports.runs.registry import RUNS_REPORTS, RunsReport
from evaluation.reports.scores import ReportRefused
from evaluation.reports.writing import WRITERS
from modeling.metrics.contrast import ACCURACY, CONTRASTIVE
from modeling.metrics.texts import BERTSCORE
from studies.admin.base import ModelAdmin, find, require
from studies.models import Study
from studies.numbers import rounded

SEE, SEE_RUNS = "evaluation.view_rating", "modeling.view_run"
HEADS: dict[str, Any] = {
    "system": _("System"),
    "on": _("Outputs"),
    "train": _("Learnt from"),
    "type": _("Type of state"),
    "selection": _("Examples are"),
    "original": _("On stories"),
    "revised": _("On revisions"),
    "both": _("On both"),
    "marked": _("Marked"),
    "story": _("Without marks"),
    "justification": _("Supporting sentences"),
    "seeds": _("Seeds"),
    ACCURACY: _("Accuracy"),
    CONTRASTIVE: _("Contrastive"),
    BERTSCORE: "BERTScore",
    **{metric.slug: metric.title for metric in automatic.METRICS},
}
# What stands in a table's rows.
WORDS: dict[str, Any] = {
    "all": _("all"),
    "rated": _("rated by people"),
    "original": _("stories"),
    "revised": _("revisions"),
    "both": _("both"),
    "curated": _("chosen by hand"),
    "random": _("drawn by chance"),
    "nearest": _("the nearest"),
    **{str(option.code): option.label for option in STATE_TYPES.question(STATE_TYPE).options},
}
FILES = {"csv": ("text/csv", "csv"), "latex": ("application/x-latex", "tex")}


def show(admin: ModelAdmin, request: HttpRequest, study_pk: int, report: str) -> HttpResponse:
    """Security: staff who may see ratings, of a study they research; others get 403 or 404."""
    study, chosen = _study(request, study_pk), _report(report)
    made, refusal = _made(study, chosen)
    return admin.page(
        request,
        "admin/evaluation/report/runs.html",
        title=str(chosen.title),
        status=200 if made else 422,
        original=study,
        study=study,
        report=chosen,
        refusal=refusal,
        made=made,
        grids=_grids(made) if made else [],
        may_see_runs=request.user.has_perm(SEE_RUNS),
        families=list(dict.fromkeys(line.family for line in made.lines)) if made else [],
    )


def download(admin: ModelAdmin, request: HttpRequest, study_pk: int, report: str) -> HttpResponse:
    """The report as ?format=csv or latex.

    Security: as `show`. A report that cannot be made is 404; its page says why.
    """
    study, chosen = _study(request, study_pk), _report(report)
    format = request.GET.get("format", "")
    made, _refusal = _made(study, chosen)
    if made is None or format not in FILES:
        raise Http404
    content_type, ending = FILES[format]
    name = f"{study.slug}-{chosen.name}.{ending}"
    return HttpResponse(
        WRITERS[format](made) + "\n",
        content_type=f"{content_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _grids(made: RunsMade) -> list[tuple[Any, Grid]]:
    """Each with the name of its task, and what its columns are called."""
    found = []
    for grid in grids_of(made, partial(rounded, digits=made.report.digits)):
        names = [HEADS.get(name, name) for name in grid.names]
        columns = [HEADS.get(name, name) for name in grid.columns]
        title = REPORTS[grid.task.replace("-", "_")].title
        rows = [
            ([system, *(WORDS.get(name, name) for name in more)], numbers)
            for (system, *more), numbers in grid.rows
        ]
        found.append((title, replace(grid, names=names, columns=columns, rows=rows)))
    return found


def _study(request: HttpRequest, study_pk: int) -> Study:
    require(request, SEE)
    return find(request, Study, study_pk)


def _report(name: str) -> RunsReport:
    if name not in RUNS_REPORTS:
        raise Http404
    return RUNS_REPORTS[name]


def _made(study: Study, report: RunsReport) -> tuple[RunsMade | None, str]:
    """The report, or why there is none."""
    try:
        return make_runs_report(study, report), ""
    except ReportRefused as refusal:
        return None, str(refusal)
