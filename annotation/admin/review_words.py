"""What the review pages say of progress, sources and verdicts."""

from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.models import Judgement, ReviewSource, Verdict
from studies.task_types import ReviewForm

MOST_IN_SECONDS = 120


def progress_words(done: int, left: int) -> str:
    return _("%(done)s of %(all)s") % {
        "done": number_format(done),
        "all": number_format(done + left),
    }


def pace_words(seconds: float | None) -> str:
    """How long one takes; empty as long as nobody knows."""
    if not seconds:
        return ""
    if seconds < MOST_IN_SECONDS:
        return _("about %(n)s s each") % {"n": number_format(max(1, round(seconds)))}
    return _("about %(n)s min each") % {"n": number_format(round(seconds / 60))}


def source_words(source: str) -> str:
    """What a reviewer should know of where it comes from. A pool's looks like the sample's, so that
    both are judged alike."""
    if source == ReviewSource.SINGLE:
        return _("outside the sample: does not count for the rate")
    return _("adjudication") if source == ReviewSource.ADJUDICATION else ""


def verdict_words(verdict: Verdict, form: ReviewForm) -> str:
    if verdict.judgement == Judgement.CORRECT:
        return str(_named(form.grades, verdict.grade))
    step = form.steps.get(verdict.step or 0, verdict.step)
    return _("Rejected at %(step)s: %(reason)s") % {
        "step": step,
        "reason": _named(form.reasons, verdict.reason),
    }


def _named(choices: Any, slug: str) -> Any:
    return next((choice.name for choice in choices if choice.slug == slug), slug)
