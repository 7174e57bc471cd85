"""The page of a round: where it stands, live."""

import csv
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.admin import bars
from studies.admin.base import ModelAdmin, badge, find, task_name
from studies.durations import say_duration
from studies.models import Job, JobState, Response, ResponseState, Round, RoundState
from studies.services.plans import Plan
from studies.services.republishing import next_try
from studies.services.round_figures import kept_figures_of, submissions_per_hour
from studies.services.rounds import is_expired
from studies.services.study_figures import kept_money_of

SHOWN_UNCONFIRMED = 10
POLL_SECONDS = 4
STYLES = {
    RoundState.PUBLISHING: "waiting",
    RoundState.OPEN: "good",
    RoundState.PAUSED: "attention",
    RoundState.CLOSED: "quiet",
}


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """The whole page.

    Security: staff who may see rounds; others get 403, and who is not signed in is sent to the
    admin's sign-in.
    """
    round = _find(request, object_id)
    return admin.page(
        request,
        "admin/studies/round/page.html",
        title=str(round),
        original=round,
        study=round.study,
        money=kept_money_of(round.study).value,
        may_change=request.user.has_perm("studies.change_round"),
        times=times_of(round),
        apart=list(round.apart_from.order_by("number")),
        seed=str(round.seed),
        **_standing(round),
    )


def times_of(round: Round | Plan) -> dict[str, str]:
    return {
        "limit": say_duration(round.time_limit),
        "lifetime": say_duration(round.lifetime),
        "approval": say_duration(round.auto_approval_delay),
    }


def live(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The part of the page that changes while people work, asked for every few seconds.

    Security: as `show`.
    """
    round = _find(request, object_id)
    context = {
        **_standing(round),
        "may_change": request.user.has_perm("studies.change_round"),
    }
    return render(request, "admin/studies/round/_live.html", context)


def hours_csv(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The numbers behind the chart: hour (UTC), confirmed responses submitted in it.

    Security: as `show`.
    """
    round = _find(request, object_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{round.study.slug}-round-{round.number}-per-hour.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    writer.writerow(["hour", "responses"])
    for at, count in submissions_per_hour(round, hours=None):
        writer.writerow([at.isoformat(), count])
    return response


def _find(request: HttpRequest, object_id: Any) -> Round:
    user = request.user
    if not (user.has_perm("studies.view_round") or user.has_perm("studies.change_round")):
        raise PermissionDenied
    return find(request, Round.objects.select_related("study", "launched_by"), object_id)


def _standing(round: Round) -> dict[str, Any]:
    """At most six queries, two more after a failure: the page asks for this again and again."""
    counted = kept_figures_of(round)
    figures = counted.value
    last = figures.per_hour[-1][0] if figures.per_hour else timezone.now()
    closed = round.state == RoundState.CLOSED or round.past
    jobs = Job.objects.filter(study=round.study_id, kind="publish_round")
    job = jobs.filter(payload={"round": round.pk}).order_by("-pk").first()
    return {
        "round": round,
        "figures": figures,
        "counted_at": counted.counted_at,
        "median_text": say_duration(figures.median_time) if figures.median_time else "",
        "bar": {"max": str(figures.wanted or 1), "value": str(figures.collected)},
        "badge": state_badge(round),
        "expired": is_expired(round),
        "job": job,
        "next_try": next_try(round) if job and job.state == JobState.FAILED else None,
        "chart": bars.hour_chart(figures.per_hour, until=last if closed else timezone.now()),
        "task_parts": bars.parts(
            [
                (_("complete"), figures.tasks_complete, "complete"),
                (_("partly served"), figures.tasks_partly, "partly"),
                (_("untouched"), figures.tasks_untouched, "untouched"),
            ]
        ),
        "unconfirmed": _unconfirmed(round) if figures.unconfirmed else [],
        "poll_seconds": POLL_SECONDS if _may_move(round, figures, job) else None,
        "task_name": task_name(round.task_type),
    }


def state_badge(round: Round) -> str:
    state = RoundState(round.state)
    if round.past:
        return badge(STYLES[state], _("imported"))
    if is_expired(round):
        return badge("attention", _("lifetime over"))
    return badge(STYLES[state], state.label)


def _may_move(round: Round, figures: Any, job: Job | None) -> bool:
    """Whether the numbers can still change by themselves."""
    if round.past:
        return False
    busy = job is not None and not job.is_finished
    return round.state != RoundState.CLOSED or busy or bool(figures.working or figures.waiting)


def _unconfirmed(round: Round) -> list[Response]:
    return list(
        Response.objects.filter(assignment__task__round=round, state=ResponseState.UNCONFIRMED)
        .select_related("assignment__participant", "assignment__task")
        .order_by("-submitted_at")[:SHOWN_UNCONFIRMED]
    )
