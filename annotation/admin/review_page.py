"""One contribution before an expert: reading it, and saying what it is."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.admin.review_access import TO_STUDY, found_turn, own_turn, reviewer_of, study_of
from annotation.admin.review_forms import VerdictForm
from annotation.admin.review_pace import seconds_each
from annotation.admin.review_reading import reading_of, review_form_of
from annotation.admin.review_words import pace_words, progress_words, source_words, verdict_words
from annotation.models import ReviewSource, Turn
from annotation.review import deciding, queue
from annotation.review.counted import JUDGED
from studies.models import Contribution, Study

PAGE = "admin/annotation/review/page.html"
GONE = "admin/annotation/review/gone.html"


def show(request: HttpRequest, turn_pk: int) -> HttpResponse:
    """The page of a turn; by POST the verdict.

    Security: staff who may add verdicts, for a turn of their own in a study that they work on;
    without the permission 403, any other turn 404.
    """
    reviewer = reviewer_of(request)
    turn = found_turn(reviewer, turn_pk)
    if turn is None:
        return gone(request)
    if request.method == "POST":
        return _judge(request, reviewer, turn)
    return page_of(request, turn, open_step=step_asked(request))


def upcoming(request: HttpRequest, turn_pk: int) -> HttpResponse:
    """The page of the turn after this one, as it will be once this one is judged; 204 without one.

    Security: as `show`.
    """
    reviewer = reviewer_of(request)
    turn = own_turn(reviewer, turn_pk)
    following = queue.upcoming_turn(turn=turn, study=study_of(turn.contribution))
    if following is None:
        return HttpResponse(status=204)
    return page_of(request, own_turn(reviewer, following.pk), after=turn)


def page_of(
    request: HttpRequest, turn: Turn, *, after: Turn | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    study = study_of(turn.contribution)
    undone = after or last_judged(turn.reviewer, study)
    context = {
        "title": _("Review"),
        "study": study,
        **reading_of(turn.contribution),
        **standing(turn.reviewer, study, ahead=1 if after else 0),
        "source_words": _source_words(turn),
        "address": address_of(turn),
        "judge_url": address_of(turn),
        "upcoming_url": reverse("admin:annotation_review_upcoming", args=[turn.pk]),
        "later_url": _later(turn),
        "undo_url": reverse("admin:annotation_review_undo", args=[undone.pk]) if undone else "",
        "notice": said_before(turn.reviewer, turn.contribution),
        **more,
    }
    return strict(render(request, PAGE, context, status=status))


def standing(reviewer: User, study: Study, *, ahead: int = 0) -> dict[str, Any]:
    """How far the reviewer is; `ahead` counts turns as judged that are not yet."""
    progress = queue.progress(reviewer=reviewer, study=study)
    done, left = progress.done + ahead, max(0, progress.left - ahead)
    return {
        "study": study,
        "progress": progress,
        "progress_text": progress_words(done, left),
        "pace_text": pace_words(seconds_each(reviewer, study)),
    }


def address_of(turn: Turn) -> str:
    return reverse("admin:annotation_review_turn", args=[turn.pk])


def next_address(reviewer: User, study: Study) -> str:
    """Of the turn that is next, else of the page that says that there is none."""
    turn = queue.next_turn(reviewer=reviewer, study=study)
    return address_of(turn) if turn else reverse("admin:annotation_review_next", args=[study.pk])


def last_judged(reviewer: User, study: Study) -> Turn | None:
    mine = Turn.objects.filter(JUDGED, **{f"contribution__{TO_STUDY}": study}, reviewer=reviewer)
    done = mine.filter(done_at__isnull=False)
    return done.order_by("-done_at").first()


def lead_on(request: HttpRequest, address: str) -> HttpResponse:
    """A redirect; a script, which has the next page already, is told the address alone."""
    if "HX-Request" not in request.headers:
        return HttpResponseRedirect(address, status=303)
    return HttpResponse(status=204, headers={"HX-Redirect": address})


def strict(response: HttpResponse) -> HttpResponse:
    """These pages have nothing of the admin's scripts, so that they need nothing inline."""
    response.csp_overrides = {"script-src": "'self'", "style-src": "'self'"}  # type: ignore[attr-defined]
    return response


def _judge(request: HttpRequest, reviewer: User, turn: Turn) -> HttpResponse:
    form = VerdictForm(request.POST)
    given = form.verdict()
    try:
        deciding.record_verdict(turn=turn, **given)
    except deciding.VerdictIncomplete as gap:
        return page_of(request, turn, status=422, open_step=given["step"], **said_of(gap))
    except deciding.NotYours:
        return gone(request)
    return lead_on(request, next_address(reviewer, study_of(turn.contribution)))


def gone(request: HttpRequest) -> HttpResponse:
    """Where a turn lapsed, or never was this person's."""
    return strict(render(request, GONE, {"title": _("Review")}, status=404))


def said_of(gap: deciding.VerdictIncomplete) -> dict[str, Any]:
    """What is missing, where the page says it."""
    return {("remark_error" if gap.field == "remark" else "notice"): gap.message}


def step_asked(request: HttpRequest) -> int | None:
    step = request.GET.get("step", "")
    return int(step) if step.isdecimal() and len(step) < 4 else None


def _source_words(turn: Turn) -> str:
    """One that was opened by its address counts as the sample's others do while a place is free."""
    counts = turn.source == ReviewSource.SINGLE and deciding.free_places(turn).exists()
    return "" if counts else source_words(turn.source)


def _later(turn: Turn) -> str:
    """Only what is still to be judged can be put off."""
    return "" if turn.done_at else reverse("admin:annotation_review_later", args=[turn.pk])


def said_before(reviewer: User, contribution: Contribution) -> str:
    standing = deciding.current_verdict(reviewer=reviewer, contribution=contribution)
    if standing is None:
        return ""
    return _("You judged this one: %(verdict)s. A new verdict replaces it.") % {
        "verdict": verdict_words(standing, review_form_of(contribution))
    }
