"""Bringing a story file in: the upload page, and the import after a check."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from studies import tasks
from studies.admin.base import ModelAdmin, find, require, visible
from studies.admin.story_forms import ImportStoriesForm
from studies.models import Job, JobState, Study
from studies.services.kept_files import CannotKeep
from studies.services.story_upload import KIND, keep_upload

PERMISSION = "studies.add_story"


def only_study(request: HttpRequest) -> Study | None:
    """Where there is no choice, nobody is asked to make one."""
    studies = list(visible(request, Study)[:2])
    return studies[0] if len(studies) == 1 else None


def upload(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form; by POST the file is kept and a job starts that checks or imports it.

    Security: staff who may add stories; others get 403, and who is not signed in is sent to the
    admin's sign-in.
    """
    user = require(request, PERMISSION)
    studies = visible(request, Study)
    if request.method != "POST":
        study = request.GET.get("study", "") or only_study(request)
        return _page(admin, request, ImportStoriesForm(initial={"study": study}, studies=studies))
    form = ImportStoriesForm(request.POST, request.FILES, studies=studies)
    if not form.is_valid():
        return _page(admin, request, form, status=422)
    given = form.cleaned_data
    try:
        payload = keep_upload(file=given["file"], format=given["format"], dry_run=given["dry_run"])
    except CannotKeep as refusal:
        form.add_error("file", str(refusal))
        return _page(admin, request, form, status=507)
    return _start(admin, request, given["study"], payload, user)


def import_checked(admin: ModelAdmin, request: HttpRequest, job_id: int) -> HttpResponse:
    """Import the file that a job has checked. POST only.

    Security: as `upload`. A job that is no finished check, or found something wrong, is 404.
    """
    user = require(request, PERMISSION)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    checks = Job.objects.filter(
        kind=KIND, state=JobState.DONE, payload__dry_run=True, result__ok=True
    )
    job = find(request, checks, job_id)
    study = find(request, Study, job.study_id)
    return _start(admin, request, study, {**job.payload, "dry_run": False}, user)


def _start(
    admin: ModelAdmin, request: HttpRequest, study: Study, payload: dict[str, Any], user: Any
) -> HttpResponse:
    job = tasks.start_job(kind=KIND, study=study, payload=payload, user=user)
    text = _("Check of %(file)s") if payload["dry_run"] else _("Import of %(file)s")
    admin.log_change(request, study, text % {"file": payload["name"]})
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def _page(
    admin: ModelAdmin, request: HttpRequest, form: ImportStoriesForm, status: int = 200
) -> HttpResponse:
    return admin.page(
        request,
        "admin/studies/story/import.html",
        title=_("Import stories"),
        status=status,
        form=form,
        has_studies=visible(request, Study).exists(),
    )
