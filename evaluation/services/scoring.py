"""Scoring what a report compares, as a job: a page has no time for it."""

from dataclasses import asdict
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evaluation.reports.making import Asked, compared
from evaluation.reports.registry import Report, find_report
from evaluation.reports.scores import ReportRefused
from evaluation.reports.scoring import unscored
from evaluation.services.text_scores import score_texts
from studies import tasks
from studies.jobs import JobContext, JobFailure, handles
from studies.models import Job, JobState, Study

KIND = "score_outputs"


def scoring_payload(report: Report, asked: Asked, query: str) -> dict[str, Any]:
    """What is asked for, which names no file; `query` leads back to the report's page."""
    return {"report": report.name, "asked": {**asdict(asked), "references": None}, "query": query}


def scoring_under_way(study: Study, payload: dict[str, Any]) -> Job | None:
    """The job that somebody has asked for already."""
    open_ones = study.jobs.filter(state__in=[JobState.QUEUED, JobState.RUNNING])
    return open_ones.filter(kind=KIND, payload=payload).first()


def start_scoring(*, study: Study, payload: dict[str, Any], user: Any) -> Job:
    """The job under way, or a new one."""
    return scoring_under_way(study, payload) or tasks.start_job(
        kind=KIND, study=study, payload=payload, user=user
    )


@handles(KIND, name=gettext_lazy("Score outputs"))
def run_scoring(job: JobContext) -> None:
    """Begun again, it goes on with what is not scored yet."""
    study = Study.objects.get(jobs=job.job.pk)
    report, given = find_report(job.payload["report"]), job.payload["asked"]
    asked = Asked(**given | {"systems": tuple(given["systems"])})
    try:
        _chosen, comparison = compared(study, report, asked)
    except ReportRefused as refusal:
        raise JobFailure(str(refusal)) from refusal
    missing = unscored(comparison)
    score_texts(missing, job.progress)
    said = ngettext("%(count)s output was scored.", "%(count)s outputs were scored.", len(missing))
    address = reverse("admin:evaluation_report", args=[study.pk, report.name])
    query = job.payload["query"]
    job.result(
        {
            "said": said % {"count": f"{len(missing):,}"},
            "next": {"text": _("See the report"), "address": f"{address}?{query}"},
        }
    )
