"""Starting runs: the form, and the rows that a worker takes."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import ngettext

from annotation.models import Release
from modeling.admin.run_forms import RunForm
from modeling.methods import METHODS
from modeling.models import Run
from modeling.presets import PRESETS
from modeling.runs.creating import create_runs
from modeling.runs.presence import has_worker
from modeling.runs.tasks import send_run
from studies.admin.base import ModelAdmin, require, visible

PERMISSION = "modeling.add_run"


def start(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form; by POST a run for each seed.

    Security: staff who may add runs, for releases of studies they research; others get 403.
    """
    user = require(request, PERMISSION)
    releases = visible(request, Release).select_related("study")
    if request.method != "POST":
        asked = request.GET.get("release", "")
        form = RunForm(initial={"release": asked}, releases=releases)
        return _page(admin, request, form, releases.exists())
    form = RunForm(request.POST, releases=releases)
    if not form.is_valid():
        return _page(admin, request, form, releases.exists(), status=422)
    runs = create_runs(**form.asked, user=user)
    for run in runs:
        send_run(run.pk)
        admin.log_addition(request, run, [{"added": {}}])
    return _after(request, runs)


def _after(request: HttpRequest, runs: list[Run]) -> HttpResponse:
    said = ngettext("%(n)d run waits for a worker.", "%(n)d runs wait for a worker.", len(runs))
    messages.success(request, said % {"n": len(runs)})
    place = (
        reverse("admin:modeling_run_change", args=[runs[0].pk])
        if len(runs) == 1
        else reverse("admin:modeling_run_changelist")
    )
    return HttpResponseRedirect(place, status=303)


def _page(
    admin: ModelAdmin, request: HttpRequest, form: RunForm, has_releases: bool, status: int = 200
) -> HttpResponse:
    return admin.page(
        request,
        "admin/modeling/run/start.html",
        title=str(form.title),
        status=status,
        form=form,
        has_releases=has_releases,
        presets=_presets(),
        queues=[(queue, has_worker(queue)) for queue in form.queues],
    )


def _presets() -> list[dict[str, Any]]:
    """What each sets, by task."""
    return [
        {
            "name": name,
            "method": METHODS[preset.method].name,
            "tasks": [
                (task, ", ".join(f"{key}={value}" for key, value in settings.items()))
                for task, settings in preset.by_task.items()
            ],
        }
        for name, preset in PRESETS.items()
    ]
