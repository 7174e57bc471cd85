"""The page of a run: how far it is, its curves, a way to stop it, what came of it."""

import csv
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from modeling.admin.run_curve import SPEC, rows_of
from modeling.admin.run_words import facts_of, time_left, usage_of
from modeling.methods import METHODS
from modeling.models import Run, RunState
from modeling.runs.creating import RunRefused, request_cancel, resume_run
from modeling.runs.presence import has_worker
from modeling.runs.tasks import send_run
from studies.admin.base import ModelAdmin, find, require
from studies.figures.theme import config
from studies.models import Study

SEE, CHANGE = "modeling.view_run", "modeling.change_run"
BADGES = {
    RunState.QUEUED: "waiting",
    RunState.RUNNING: "waiting",
    RunState.DONE: "good",
    RunState.FAILED: "blocked",
    RunState.CANCELLED: "quiet",
}
POLL_SECONDS = 2
SHOWN = 5


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """The whole page.

    Security: researchers of the study who may see runs; others get 403 or 404.
    """
    run = _find(request, object_id)
    return admin.page(
        request,
        "admin/modeling/run/page.html",
        title=str(run),
        original=run,
        spec=SPEC,
        themes={"light": config("light"), "dark": config("dark")},
        facts=facts_of(run),
        method_name=method_name(run.method),
        settings=list(run.configuration.items()),
        **_standing(request, run),
    )


def live(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The part of the page that moves, asked for until the run has ended.

    Security: as `show`.
    """
    run = _find(request, object_id)
    return render(request, "admin/modeling/run/_live.html", _standing(request, run))


def points(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """What the curves show, as CSV. Security: as `show`."""
    run = _find(request, object_id)
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="run-{run.pk}-curves.csv"'
    writer = csv.writer(answer)
    writer.writerow(["curve", "step", "value"])
    writer.writerows([row["curve"], row["step"], row["value"]] for row in rows_of(run, most=None))
    return answer


def of_study(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """The list, of one study: where its page leads. Security: as `show`."""
    require(request, SEE)
    study = find(request, Study, study_pk)
    listed = reverse("admin:modeling_run_changelist")
    return HttpResponseRedirect(f"{listed}?study__id__exact={study.pk}")


def cancel(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Ask the run to stop. POST only.

    Security: researchers of the study who may change runs; others get 403 or 404.
    """
    run = _find(request, object_id)
    require(request, CHANGE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if run.is_finished:
        messages.warning(request, _("This run had ended already."))
    else:
        request_cancel(run=run)
        admin.log_change(request, run, _("Asked to stop"))
        messages.success(request, _("The run was asked to stop. It keeps a checkpoint."))
    return _to_page(run)


def resume(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Have the run go on from its last checkpoint. POST only. Security: as `cancel`."""
    run = _find(request, object_id)
    require(request, CHANGE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        resume_run(run=run)
    except RunRefused as refusal:
        messages.warning(request, str(refusal))
        return _to_page(run)
    send_run(run.pk)
    admin.log_change(request, run, _("Resumed"))
    messages.success(request, _("The run goes on from its last checkpoint."))
    return _to_page(run)


def method_name(slug: str) -> str:
    """What people call it; one that is no more keeps its slug."""
    return str(METHODS[slug].name) if slug in METHODS else slug


def _to_page(run: Run) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:modeling_run_change", args=[run.pk]), status=303)


def _find(request: HttpRequest, object_id: Any) -> Run:
    require(request, SEE)
    rows = Run.objects.select_related("study", "release__study", "began_with", "requested_by")
    return find(request, rows, object_id)


def _standing(request: HttpRequest, run: Run) -> dict[str, Any]:
    may_change = request.user.has_perm(CHANGE)
    ended_early = run.state in {RunState.FAILED, RunState.CANCELLED}
    return {
        "run": run,
        "badge": BADGES[RunState(run.state)],
        "left": time_left(run),
        "usage": usage_of(run),
        "curve": rows_of(run),
        "no_worker": run.state == RunState.QUEUED and has_worker(run.queue) is False,
        "may_cancel": may_change and not run.is_finished,
        "may_resume": may_change and ended_early,
        "poll_seconds": None if run.is_finished else POLL_SECONDS,
        "scores": [
            (part, metric, value)
            for part, metrics in run.facts.get("scores", {}).items()
            for metric, value in metrics.items()
        ],
        "outputs": list(run.generations.order_by("pk")[:SHOWN]),
    }
