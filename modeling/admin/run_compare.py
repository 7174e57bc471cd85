"""Runs of a study side by side."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from modeling.admin.run_page import SEE, method_name
from modeling.models import Run
from modeling.runs.comparing import compare
from modeling.tasks.registry import TASKS
from studies.admin.base import ModelAdmin, require, visible
from studies.models import Study


def compare_runs(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Ended runs of a study and task, those that differ in their seed alone as one line.

    Security: researchers of the study who may see runs; a study that is not theirs is not offered.
    """
    require(request, SEE)
    runs = visible(request, Run).filter(state="done").select_related("study", "release__study")
    studies = visible(request, Study).filter(pk__in=runs.values("study")).order_by("title")
    asked = request.GET.get("study", "")
    study = (studies.filter(pk=asked) if asked.isdecimal() else studies).first()
    tasks = [task for task in TASKS if runs.filter(study=study, task=task).exists()]
    task = request.GET.get("task", "")
    task = task if task in tasks else next(iter(tasks), "")
    metrics, lines = compare(runs.filter(study=study, task=task).order_by("pk"))
    return admin.page(
        request,
        "admin/modeling/run/compare.html",
        title=_("Compare runs"),
        study=study,
        studies=studies,
        task=task,
        tasks=tasks,
        metrics=metrics,
        lines=[
            {
                "line": line,
                "method": method_name(line.first.method),
                "model": line.first.configuration.get("model", ""),
                "figures": line.figures(metrics),
            }
            for line in lines
        ],
    )
