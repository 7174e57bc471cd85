"""Building a release: the form, what it would hold, and the job that freezes it."""

from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.admin.release_forms import ReleaseForm, first_values
from annotation.models import Split
from annotation.releases.jobs import BUILD, build_payload
from annotation.releases.planning import ReleasePlan, plan_release
from studies import tasks
from studies.admin.base import ModelAdmin, require, visible
from studies.admin.story_import import only_study
from studies.models import Study

BUILD_PERMISSION = "annotation.add_release"


def build(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form; with ?step=preview what the release would hold; by POST the job that builds it,
    unless it would hold something else by now.

    Security: staff who may add releases, for studies they research; others get 403, and who is not
    signed in is sent to the admin's sign-in.
    """
    user = require(request, BUILD_PERMISSION)
    studies = visible(request, Study)
    if request.method == "POST":
        form = ReleaseForm(request.POST, studies=studies)
        if not form.is_valid():
            return _page(admin, request, form, status=422)
        if request.POST.get("seen") != fingerprint(_plan_of(form)):
            return _page(admin, request, form, preview=True, status=409)
        return _start(admin, request, form, user)
    if "step" in request.GET:
        form = ReleaseForm(request.GET, studies=studies)
        return _page(admin, request, form, preview=form.is_valid())
    asked = request.GET.get("study", "")
    study = studies.filter(pk=asked).first() if asked.isdecimal() else only_study(request)
    return _page(admin, request, ReleaseForm(initial=first_values(study), studies=studies))


def _start(admin: ModelAdmin, request: HttpRequest, form: ReleaseForm, user: Any) -> HttpResponse:
    given = form.cleaned_data
    payload = build_payload(name=given["name"], seed=given["seed"], rule=form.rule)
    job = tasks.start_job(kind=BUILD, study=given["study"], payload=payload, user=user)
    admin.log_change(request, given["study"], _("Build of release %(name)s") % given)
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def _page(
    admin: ModelAdmin,
    request: HttpRequest,
    form: ReleaseForm,
    *,
    preview: bool = False,
    status: int = 200,
) -> HttpResponse:
    shown = _preview_of(form) if preview else {}
    return admin.page(
        request,
        "admin/annotation/release/build.html",
        title=_("Build a release"),
        status=status,
        form=form,
        has_studies=visible(request, Study).exists(),
        has_changed=status == 409,
        **shown,
    )


def _preview_of(form: ReleaseForm) -> dict[str, Any]:
    plan = _plan_of(form)
    return {
        "plan": plan,
        "fingerprint": fingerprint(plan),
        "rows": len(plan.manifest),
        "splits": split_rows(plan),
        "withheld": plan.placement.withheld,
        "missing": plan.placement.missing_reviews,
        "kept_stories": len(plan.placement.splits) - len(plan.placed),
    }


def _plan_of(form: ReleaseForm) -> ReleasePlan:
    given = form.cleaned_data
    return plan_release(study=given["study"], seed=given["seed"], rule=form.rule)


def fingerprint(plan: ReleasePlan) -> str:
    """What the person has seen, so that nothing else is frozen."""
    rows = plan.manifest.contributions.tobytes() + plan.manifest.codes.tobytes()
    return sha256(rows).hexdigest()[:16]


def split_rows(plan: ReleasePlan) -> list[dict[str, Any]]:
    told = plan.as_dict()["splits"]
    whole = sum(one["rows"] for one in told.values())
    return [
        {
            "name": split.label,
            **told[split.value],
            "percent": 100 * told[split.value]["rows"] / whole if whole else 0,
        }
        for split in Split
    ]
