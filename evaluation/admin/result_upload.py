"""Bringing ratings in: the upload, a look at how columns map to questions, the import."""

from dataclasses import replace

from django.core import signing
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.urls import reverse
from django.utils.translation import gettext as _

from evaluation.admin.result_forms import UploadResultsForm
from evaluation.admin.result_preview import preview_of
from evaluation.result_files.errors import BadResults
from evaluation.services.result_upload import KIND, KeptResults, keep_results
from studies import tasks
from studies.admin.base import ModelAdmin, find, require, visible
from studies.admin.story_import import only_study
from studies.jobs import JobFailure
from studies.models import Study
from studies.services.kept_files import CannotKeep, open_kept

IMPORT = "evaluation.add_resultfile"
SALT = "evaluation.results"


def upload(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form; by POST the file is kept, and its preview is shown.

    Security: staff who may add result files, for studies they research; others get 403.
    """
    require(request, IMPORT)
    studies = visible(request, Study)
    if request.method != "POST":
        first = {"study": request.GET.get("study") or only_study(request)}
        return _page(admin, request, UploadResultsForm(initial=first, studies=studies))
    form = UploadResultsForm(request.POST, request.FILES, studies=studies)
    if not form.is_valid():
        return _page(admin, request, form, status=422)
    given = form.cleaned_data
    names = ("file", "study", "instrument", "system", "rival")
    named = {name: given[name] for name in names}
    try:
        kept = keep_results(**named, map=given["map_data"])
    except CannotKeep as refusal:
        form.add_error("file", str(refusal))
        return _page(admin, request, form, status=507)
    admin.log_change(request, given["study"], _("Upload of %(file)s") % {"file": kept.name})
    address = reverse("admin:evaluation_results_preview", args=[signed(kept)])
    return HttpResponseRedirect(address, status=303)


def preview(admin: ModelAdmin, request: HttpRequest, kept: str) -> HttpResponse:
    """How the columns of a kept file map to questions, its first rows, or what is wrong with it.

    Security: as `upload`. An address that we have not made is 404.
    """
    require(request, IMPORT)
    results, study = _kept(request, kept, request.GET.getlist("reverse"))
    shown, problem = None, ""
    try:
        with open_kept(results.as_dict()) as source:
            shown = preview_of(source, results.reading())
    except (BadResults, JobFailure) as error:
        problem = str(error)
    return admin.page(
        request,
        "admin/evaluation/result_file/preview.html",
        title=_("Check how it is read"),
        status=422 if problem else 200,
        original=study,
        study=study,
        results=results,
        kept=kept,
        shown=shown,
        problem=problem,
    )


def start_import(admin: ModelAdmin, request: HttpRequest, kept: str) -> HttpResponse:
    """Start the job that imports a kept file. POST only.

    Security: as `preview`.
    """
    user = require(request, IMPORT)
    results, study = _kept(request, kept, request.POST.getlist("reverse"))
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    job = tasks.start_job(kind=KIND, study=study, payload=results.as_dict(), user=user)
    admin.log_change(request, study, _("Import of %(file)s") % {"file": results.name})
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def signed(kept: KeptResults) -> str:
    return signing.dumps(kept.as_dict(), salt=SALT, compress=True)


def _kept(request: HttpRequest, text: str, reverse: list[str]) -> tuple[KeptResults, Study]:
    try:
        kept = KeptResults.from_dict(signing.loads(text, salt=SALT))
    except signing.BadSignature as error:
        raise Http404 from error
    return replace(kept, reverse=tuple(reverse)), find(request, Study, kept.study)


def _page(
    admin: ModelAdmin, request: HttpRequest, form: UploadResultsForm, status: int = 200
) -> HttpResponse:
    return admin.page(
        request,
        "admin/evaluation/result_file/upload.html",
        title=_("Import ratings"),
        status=status,
        form=form,
        has_studies=visible(request, Study).exists(),
    )
