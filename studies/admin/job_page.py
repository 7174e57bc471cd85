"""The page of any job: what is being done, how much is left, a way to stop it, what came of it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.admin.base import ModelAdmin, find, require
from studies.jobs import name_of, request_cancel
from studies.models import Job, JobState

BADGES = {
    JobState.QUEUED: "waiting",
    JobState.RUNNING: "waiting",
    JobState.DONE: "good",
    JobState.FAILED: "blocked",
    JobState.CANCELLED: "quiet",
}
POLL_SECONDS = 1
# Before this an estimate of what is left is a guess.
SECONDS_BEFORE_ESTIMATE = 3
IN_BYTES = {"import_stories"}


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """The whole page.

    Security: staff who may see jobs; others get 403, and who is not signed in is sent to the
    admin's sign-in.
    """
    job = _find(request, object_id)
    return admin.page(
        request,
        "admin/studies/job.html",
        title=_what(job),
        original=_what(job),
        **_standing(request, job),
    )


def live(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """The part of the page that moves, asked for every second until the job has ended.

    Security: as `show`.
    """
    job = _find(request, object_id)
    return render(request, "admin/studies/job/_live.html", _standing(request, job))


def cancel(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Ask the job to stop. POST only.

    Security: staff who may see jobs and either asked for this one or may change jobs; others get
    403. A job that has ended stays as it is.
    """
    job = _find(request, object_id)
    if job.requested_by_id != request.user.pk:
        require(request, "studies.change_job")
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if job.is_finished:
        messages.warning(request, _("This job had ended already."))
    else:
        request_cancel(job)
        admin.log_change(request, job, _("Asked to stop"))
        messages.success(request, _("The job was asked to stop."))
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def _find(request: HttpRequest, object_id: Any) -> Job:
    require(request, "studies.view_job")
    return find(request, Job.objects.select_related("study", "requested_by"), object_id)


def _standing(request: HttpRequest, job: Job) -> dict[str, Any]:
    result = job.result
    mine = job.requested_by_id == request.user.pk
    return {
        "job": job,
        "what": _what(job),
        "badge": BADGES[JobState(job.state)],
        "amount": _amount(job),
        "left": _time_left(job),
        "may_cancel": not job.is_finished and (mine or request.user.has_perm("studies.change_job")),
        "poll_seconds": None if job.is_finished else POLL_SECONDS,
        "problems": result.get("problems", []),
        "warnings": result.get("warnings", []),
        "round": job.payload.get("round") if job.kind == "publish_round" else None,
        "facts": _facts(result) if result.get("ok") and "sentence_counts" in result else [],
        "checked": job.kind == "import_stories"
        and job.state == JobState.DONE
        and bool(job.payload.get("dry_run"))
        and bool(result.get("added"))
        and request.user.has_perm("studies.add_story"),
    }


def _what(job: Job) -> str:
    if job.payload.get("dry_run"):
        return _("Check a story file")
    return name_of(job.kind)


def _amount(job: Job) -> str:
    if not job.total:
        return number_format(job.done, force_grouping=True) if job.done else ""
    size = filesizeformat if job.kind in IN_BYTES else _count
    return _("%(done)s of %(total)s") % {"done": size(job.done), "total": size(job.total)}


def _count(number: int) -> str:
    return number_format(number, force_grouping=True)


def _time_left(job: Job) -> str:
    """What is left at the pace so far; empty where that says nothing."""
    if job.state != JobState.RUNNING or not job.total or not job.done or not job.started_at:
        return ""
    spent = (timezone.now() - job.started_at).total_seconds()
    if spent < SECONDS_BEFORE_ESTIMATE or job.done >= job.total:
        return ""
    seconds = round(spent * (job.total - job.done) / job.done)
    if seconds < 90:
        return ngettext("about %(n)d second left", "about %(n)d seconds left", seconds) % {
            "n": seconds
        }
    minutes = round(seconds / 60)
    return ngettext("about %(n)d minute left", "about %(n)d minutes left", minutes) % {"n": minutes}


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    """What an import of stories did, in words and numbers."""
    counts = [
        ngettext(
            "%(sentences)s in %(stories)s story",
            "%(sentences)s each in %(stories)s stories",
            stories,
        )
        % {"sentences": sentences, "stories": _count(stories)}
        for sentences, stories in result["sentence_counts"].items()
    ]
    added = _("Would be added") if result["dry_run"] else _("Added")
    facts = [
        (_("File"), result["file"]),
        (_("Format"), f"{result['format']}, {result['encoding']}"),
        (_("Rows"), _count(result["rows"])),
        (added, _count(result["added"])),
        (_("There already, with the same text"), _count(result["unchanged"])),
        (_("Rows that repeat a story"), _count(result["repeated_rows"])),
        (_("Sentences"), ", ".join(counts)),
        (_("Fields not used"), ", ".join(result["unused_fields"]) or _("none")),
    ]
    return [fact for fact in facts if fact[1]]
