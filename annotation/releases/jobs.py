"""Building a release and packing its files, as jobs that the admin and the API start."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.models import Release
from annotation.releases.archives import pack_release
from annotation.releases.building import NameTaken, ReleaseRefused, build_release
from annotation.releases.exporting import ExportRefused
from annotation.releases.rule import ReleaseRule
from annotation.releases.verifying import verify_release
from studies.jobs import JobContext, JobFailure, handles
from studies.models import Study

BUILD = "build_release"
PACK = "pack_release"
VERIFY = "verify_release"


def build_payload(*, name: str, seed: int, rule: ReleaseRule) -> dict[str, Any]:
    return {"name": name, "seed": seed, "rule": rule.as_dict()}


@handles(BUILD, name=gettext_lazy("Build a release"))
def run_build(job: JobContext) -> None:
    """Stopped behind its commit and started again, it finds the release that it made."""
    payload = job.payload
    study = Study.objects.get(jobs=job.job.pk)
    asked = {"name": payload["name"], "seed": payload["seed"], "rule": payload["rule"]}
    try:
        release = build_release(
            study=study,
            name=payload["name"],
            seed=payload["seed"],
            rule=ReleaseRule.from_dict(payload["rule"]),
            user=job.job.requested_by,
            progress=job.progress,
        )
    except NameTaken as taken:
        made = study.releases.filter(**asked, made_at__gte=job.job.created_at).first()
        if made is None:
            raise JobFailure(str(taken)) from taken
        release = made
    except ReleaseRefused as refusal:
        raise JobFailure(str(refusal)) from refusal
    rows = release.statistics["tuples"]
    text = ngettext(
        "%(release)s is built: %(count)s row in its splits.",
        "%(release)s is built: %(count)s rows in its splits.",
        rows,
    )
    _finish(job, release, text % {"release": release, "count": f"{rows:,}"})


@handles(PACK, name=gettext_lazy("Write the files of a release"))
def run_pack(job: JobContext) -> None:
    release = Release.objects.get(pk=job.payload["release"])
    try:
        pack_release(release=release, progress=job.progress)
    except ExportRefused as refusal:
        raise JobFailure(str(refusal)) from refusal
    _finish(job, release, _("The files of %(release)s are written.") % {"release": release})


@handles(VERIFY, name=gettext_lazy("Verify a release"))
def run_verify(job: JobContext) -> None:
    release = Release.objects.get(pk=job.payload["release"])
    outcome = verify_release(release=release, progress=job.progress)
    if not outcome.ok:
        raise JobFailure(
            _(
                "The rows of %(release)s are not what they were when it was made: their hash is "
                "%(found)s, the release’s %(expected)s."
            )
            % {"release": release, "found": outcome.found, "expected": outcome.expected}
        )
    text = ngettext(
        "The row of %(release)s is what it was when the release was made.",
        "All %(count)s rows of %(release)s are what they were when it was made.",
        outcome.rows,
    )
    _finish(job, release, text % {"release": release, "count": f"{outcome.rows:,}"})


def _finish(job: JobContext, release: Release, done: str) -> None:
    page = reverse("admin:annotation_release_change", args=[release.pk])
    following = {"text": _("See the release"), "address": page}
    job.result({"release": release.pk, "said": done, "next": following})
