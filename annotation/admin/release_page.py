"""The page of a release: what it holds, by which rule, and its files."""

from typing import Any

from django.core.files.storage import default_storage
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Release, Split
from annotation.releases.archives import is_packed, place_of
from annotation.releases.jobs import PACK, VERIFY
from annotation.releases.rule import ReleaseRule
from studies import tasks
from studies.admin.base import ModelAdmin, find, require
from studies.models import Study

SEE = "annotation.view_release"
# In the order of a paper's table; card.NAMES says the same in English, for the files.
NAMES = {
    "tuples": gettext_lazy("Rows"),
    "stories": gettext_lazy("Stories"),
    "state_tokens": gettext_lazy("Tokens of the state"),
    "changed_state_tokens": gettext_lazy("Tokens of the changed state"),
    "justification_sentences": gettext_lazy("Sentences that justify"),
    "revised_sentences": gettext_lazy("Sentences revised"),
    "justification_revised_pct": gettext_lazy("Of those that justify, revised (%)"),
    "revised_justification_pct": gettext_lazy("Of those revised, justify (%)"),
    "state_overlap_pct": gettext_lazy("State found in the changed state (%)"),
    "story_overlap_pct": gettext_lazy("Story found in the revised story (%)"),
}
WHOLE = ("tuples", "stories")


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """The whole page.

    Security: staff who may see releases, of a study they research; others get 403 or 404.
    """
    release = _find(request, object_id)
    statistics = release.statistics
    return admin.page(
        request,
        "admin/annotation/release/page.html",
        title=str(release),
        original=release,
        release=release,
        rule=ReleaseRule.from_dict(release.rule),
        shares=_shares(release),
        withheld=statistics["withheld"],
        held=statistics["tuples"] + statistics["withheld"],
        splits=[Split(name).label for name in _splits(release)],
        table=_table(release),
        packed=is_packed(release),
        seed=str(release.seed),
    )


def of_study(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """The list, of one study: where its page leads.

    Security: as `show`.
    """
    require(request, SEE)
    study = find(request, Study, study_pk)
    listed = reverse("admin:annotation_release_changelist")
    return HttpResponseRedirect(f"{listed}?study__id__exact={study.pk}")


def pack(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Start the job that writes the files. POST only.

    Security: as `show`.
    """
    return _start(admin, request, object_id, PACK, _("Files of %(release)s asked for"))


def verify(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Start the job that hashes the rows again. POST only.

    Security: as `show`.
    """
    return _start(admin, request, object_id, VERIFY, _("Verification of %(release)s asked for"))


def download(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponseBase:
    """The archive, where it has been made.

    Security: as `show`.
    """
    release = _find(request, object_id)
    if not is_packed(release):
        raise Http404
    name = f"{release.study.slug}-{release.name}.zip"
    return FileResponse(default_storage.open(place_of(release)), as_attachment=True, filename=name)


def _find(request: HttpRequest, object_id: Any) -> Release:
    require(request, SEE)
    return find(request, Release.objects.select_related("study", "made_by"), object_id)


def _start(
    admin: ModelAdmin, request: HttpRequest, object_id: int, kind: str, said: str
) -> HttpResponse:
    user = require(request, SEE)
    release = _find(request, object_id)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    job = tasks.start_job(
        kind=kind, study=release.study, payload={"release": release.pk}, user=user
    )
    admin.log_change(request, release, said % {"release": release})
    return HttpResponseRedirect(reverse("admin:studies_job_change", args=[job.pk]), status=303)


def _splits(release: Release) -> list[str]:
    return [split for split in Split.values if split in release.statistics["splits"]]


def _shares(release: Release) -> list[dict[str, Any]]:
    """Asked for and got, for each split."""
    statistics, rule = release.statistics, ReleaseRule.from_dict(release.rule)
    got = {name: statistics["splits"].get(name, {}).get("tuples", 0) for name in Split.values}
    return [
        {
            "name": split.label,
            "rows": got[split.value],
            "stories": statistics["splits"].get(split.value, {}).get("stories", 0),
            "percent": 100 * got[split.value] / (statistics["tuples"] or 1),
            "asked": 100 * share,
        }
        for split, share in zip(Split, rule.ratios, strict=True)
    ]


def _table(release: Release) -> list[dict[str, Any]]:
    shown = [release.statistics, *(release.statistics["splits"][one] for one in _splits(release))]
    return [
        {"name": name, "whole": key in WHOLE, "values": [one[key] for one in shown]}
        for key, name in NAMES.items()
    ]
