"""One assignment: the frame in which it is done, and what became of it."""

from datetime import datetime
from http import HTTPStatus

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from database.prepared import prepared
from marketplace.errors import AlreadySubmitted, TimeRanOut
from marketplace.frames import frame_of
from marketplace.models import Assignment, Worker
from marketplace.services.assignments import return_assignment
from marketplace.site.access import worker_required
from marketplace.site.framing import render_with_frame
from marketplace.site.group import offer_of
from marketplace.site.preferences import accepts_next
from marketplace.site.way_back import has_arrived
from marketplace.site.words import usd

Status = Assignment.Status


@worker_required
def assignment(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """The HIT in its frame while it can be done; afterwards what became of it and what is next.

    Security: only the worker whose assignment it is (else 404). Who comes from its address, which
    nobody can guess, as another worker is told so and whether its answers are in, and nothing else.
    """
    try:
        found = own_assignment(worker, assignment_id)
    except Http404:
        return not_yours(request, worker, assignment_id)
    now = timezone.now()
    context = {
        "worker": worker,
        "section": "list",
        "assignment": found,
        "hit_type": found.hit.hit_type,
        "reward": usd(found.hit.hit_type.reward_usd),
        "now": now,
        "accepts_next": accepts_next(request),
    }
    if is_open(found, now):
        return render_with_frame(request, "worker/work.html", context, frame=frame_of(found))
    context["state"] = Status.ABANDONED if found.status == Status.ACCEPTED else found.status
    context["offer"] = offer_of(worker, found.hit.hit_type.group_id)
    return render(request, "worker/assignment.html", context)


@worker_required
def give_back(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """Return a HIT: GET asks, POST does it. A second POST changes nothing.

    Security: only the worker whose assignment it is; for everybody else there is none (404).
    """
    found = own_assignment(worker, assignment_id)
    if request.method != "POST":
        if not is_open(found, timezone.now()):
            return redirect("worker-assignment", assignment_id)
        context = {"worker": worker, "section": "list", "assignment": found}
        return render(request, "worker/return.html", context)
    try:
        return_assignment(assignment=found)
    except (AlreadySubmitted, TimeRanOut):
        return redirect("worker-assignment", assignment_id)
    title = found.hit.hit_type.title
    messages.success(request, _("You returned “%(title)s”.") % {"title": title})
    return redirect("worker-list")


def not_yours(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """As of two people with one browser, where one signs in while the other works."""
    if not Assignment.objects.filter(assignment_id=assignment_id).exists():
        raise Http404
    context = {
        "worker": worker,
        "section": "list",
        "has_arrived": has_arrived(request.path),
    }
    return render(request, "worker/not_yours.html", context, status=HTTPStatus.NOT_FOUND)


def own_assignment(worker: Worker, assignment_id: str) -> Assignment:
    found = _of_worker.first(worker=worker.pk, assignment_id=assignment_id)
    if found is None:
        raise Http404
    found.worker = worker
    found.hit.requester = found.hit.hit_type.requester
    return found


@prepared
def _of_worker(*, worker: int, assignment_id: str) -> QuerySet[Assignment]:
    return Assignment.objects.select_related("hit__hit_type__requester").filter(
        worker=worker, assignment_id=assignment_id
    )


def is_open(found: Assignment, at: datetime) -> bool:
    return found.status == Status.ACCEPTED and found.deadline > at
