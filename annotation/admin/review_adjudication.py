"""Where two experts judged differently, a third one settles it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.admin.review_access import TO_STUDY, TO_TASK, reviewer_of
from annotation.admin.review_forms import VerdictForm
from annotation.admin.review_page import PAGE, lead_on, said_before, said_of, step_asked, strict
from annotation.admin.review_reading import reading_of, review_form_of, title_of
from annotation.admin.review_words import source_words, verdict_words
from annotation.models import ReviewPlan, ReviewSource, Verdict
from annotation.review import adjudication, deciding
from annotation.review.adjudication import key_of, open_to, theirs_called
from studies.access import visible_rows
from studies.admin.base import moment
from studies.models import Contribution

DONE = "admin/annotation/review/nothing_disputed.html"
LISTED = 20
NOT_THEIRS = gettext_lazy("This one is settled already, or not yours to settle.")


def next_disputed(request: HttpRequest, study_pk: int) -> HttpResponse:
    """Lead to a contribution whose verdicts differ, or say that there is none.

    Security: staff who may add verdicts, in studies that they work on; others get 403 or 404.
    Nobody is shown one that they judged.
    """
    reviewer = reviewer_of(request)
    plan = _plan(reviewer, study_pk)
    found = open_to(reviewer, plan).order_by("pk").first()
    if found is not None:
        return HttpResponseRedirect(_address(plan, found.pk))
    settled = adjudication.settled_by(reviewer, plan).select_related(f"contribution__{TO_TASK}")
    rows = [
        (_address(plan, one.contribution_id), title_of(one.contribution), moment(one.decided_at))
        for one in settled[:LISTED]
    ]
    return strict(render(request, DONE, {"title": _("Two experts differ"), "rows": rows}))


def show(request: HttpRequest, study_pk: int, key: str) -> HttpResponse:
    """Both verdicts, without names, beside what was judged; by POST the third, which its author
    can change later.

    Security: as `next_disputed`.
    """
    reviewer = reviewer_of(request)
    plan = _plan(reviewer, study_pk)
    found = _by_key(reviewer, plan, key)
    if found is None:
        messages.warning(request, NOT_THEIRS)
        return HttpResponseRedirect(_after(plan), status=303)
    if request.method == "POST":
        return _settle(request, reviewer, plan, found)
    notice = said_before(reviewer, found)
    return _page(request, reviewer, plan, found, open_step=step_asked(request), notice=notice)


def _settle(
    request: HttpRequest, reviewer: User, plan: ReviewPlan, found: Contribution
) -> HttpResponse:
    given = VerdictForm(request.POST).verdict()
    del given["seconds"]
    try:
        adjudication.adjudicate(contribution=found, reviewer=reviewer, **given)
    except deciding.VerdictIncomplete as gap:
        step = given["step"]
        return _page(request, reviewer, plan, found, status=422, open_step=step, **said_of(gap))
    except adjudication.HasJudged:
        messages.warning(request, NOT_THEIRS)
    return lead_on(request, _after(plan))


def _page(
    request: HttpRequest,
    reviewer: User,
    plan: ReviewPlan,
    found: Contribution,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    last = adjudication.settled_by(reviewer, plan).exclude(contribution=found).first()
    context = {
        "title": _("Two experts differ"),
        "study": plan.study,
        **reading_of(found),
        "source_words": source_words(ReviewSource.ADJUDICATION),
        "others": _verdicts(found),
        "address": _address(plan, found.pk),
        "judge_url": _address(plan, found.pk),
        "change_url": _address(plan, last.contribution_id) if last else "",
        **more,
    }
    return strict(render(request, PAGE, context, status=status))


def _verdicts(found: Contribution) -> list[dict[str, str]]:
    """In an order that does not tell who came first."""
    form = review_form_of(found)
    given = Verdict.objects.filter(contribution=found, replaced_at__isnull=True)
    current = given.exclude(source__in=[ReviewSource.POOL, ReviewSource.ADJUDICATION])
    return [
        {
            "judgement": verdict.judgement,
            "words": verdict_words(verdict, form),
            "remark": verdict.remark,
        }
        for verdict in current.order_by("judgement", "grade", "step", "reason")
    ]


def _plan(reviewer: User, study_pk: int) -> ReviewPlan:
    plans = visible_rows(reviewer, ReviewPlan.objects.select_related("study"))
    return get_object_or_404(plans, study=study_pk)


def _by_key(reviewer: User, plan: ReviewPlan, key: str) -> Contribution | None:
    pk = theirs_called(key, reviewer, plan)
    return Contribution.objects.select_related(TO_STUDY).filter(pk=pk).first() if pk else None


def _address(plan: ReviewPlan, contribution: int) -> str:
    key = key_of(contribution)
    return reverse("admin:annotation_review_adjudicate", args=[plan.study_id, key])


def _after(plan: ReviewPlan) -> str:
    return reverse("admin:annotation_review_disputed", args=[plan.study_id])
