"""From one turn to another: on, later, back, and to one outside the sample."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.admin.review_access import (
    TO_STUDY,
    found_turn,
    reviewer_of,
    study_of,
    study_to_review,
)
from annotation.admin.review_page import (
    address_of,
    gone,
    last_judged,
    lead_on,
    next_address,
    standing,
    strict,
)
from annotation.review import deciding, queue
from studies.admin.base import find, require
from studies.models import Contribution


def go_on(request: HttpRequest, study_pk: int) -> HttpResponse:
    """Lead to the turn that is next, or say that there is none.

    Security: staff who may add verdicts, in studies that they work on; others get 403 or 404.
    """
    reviewer = reviewer_of(request)
    study = study_to_review(reviewer, study_pk)
    turn = queue.next_turn(reviewer=reviewer, study=study)
    if turn is not None:
        return HttpResponseRedirect(address_of(turn))
    undone = last_judged(reviewer, study)
    context = {
        "title": _("Review"),
        **standing(reviewer, study),
        "undo_url": reverse("admin:annotation_review_undo", args=[undone.pk]) if undone else "",
    }
    return strict(render(request, "admin/annotation/review/done.html", context))


def later(request: HttpRequest, turn_pk: int) -> HttpResponse:
    """Put the turn off. POST only.

    Security: as `go_on`, and the turn has to be the person's own.
    """
    reviewer = reviewer_of(request)
    turn = found_turn(reviewer, turn_pk)
    if turn is None:
        return gone(request)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if turn.done_at is None:
        queue.put_off(turn=turn)
    else:
        messages.warning(request, _("You judged that one already, so it was not put off."))
    return lead_on(request, next_address(reviewer, study_of(turn.contribution)))


def undo(request: HttpRequest, turn_pk: int) -> HttpResponse:
    """Take the turn's verdict back, and show it again. POST only.

    Security: as `later`.
    """
    reviewer = reviewer_of(request)
    turn = found_turn(reviewer, turn_pk)
    if turn is None:
        return gone(request)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if deciding.current_verdict(reviewer=reviewer, contribution=turn.contribution) is None:
        messages.warning(request, _("There was no verdict to take back."))
    else:
        deciding.undo_verdict(reviewer=reviewer, contribution=turn.contribution)
    return lead_on(request, address_of(turn))


def open_single(request: HttpRequest, contribution_pk: int) -> HttpResponse:
    """Take up a contribution outside the sample. POST only.

    Security: staff who may add verdicts and see responses, in studies whose researchers they are.
    Other experts judge what they are given.
    """
    reviewer = reviewer_of(request)
    require(request, "studies.view_response")
    contributions = Contribution.objects.select_related(TO_STUDY)
    contribution = find(request, contributions, contribution_pk)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        turn = queue.open_single(reviewer=reviewer, contribution=contribution)
    except queue.NotReviewable:
        messages.warning(
            request, _("This response cannot be reviewed: it is not confirmed, or gone.")
        )
        return HttpResponseRedirect(reverse("admin:annotation_review"), status=303)
    return HttpResponseRedirect(address_of(turn), status=303)
