"""What a worker says to a rejection, once."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from marketplace.errors import NotRejected, RepliedAlready
from marketplace.models import Assignment, Worker
from marketplace.services.reviews import reply_to_rejection
from marketplace.site.access import worker_required
from marketplace.site.assignment import own_assignment
from marketplace.site.forms import ReplyForm


@worker_required
def answer(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """Why it was rejected, and a form to answer; by POST the answer is sent.

    Security: only the worker whose assignment it is; for everybody else there is none (404).
    """
    found = own_assignment(worker, assignment_id)
    if request.method != "POST":
        if not found.can_be_answered:
            return redirect("worker-assignment", assignment_id)
        return _page(request, worker, found, ReplyForm())
    form = ReplyForm(request.POST)
    if not form.is_valid():
        return _page(request, worker, found, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        reply_to_rejection(assignment=found, text=form.cleaned_data["text"], at=timezone.now())
    except (NotRejected, RepliedAlready) as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(request, _("Your answer is on its way to the requester."))
    return redirect("worker-history")


def _page(
    request: HttpRequest,
    worker: Worker,
    found: Assignment,
    form: ReplyForm,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    context = {"worker": worker, "section": "history", "assignment": found, "form": form}
    return render(request, "worker/answer.html", context, status=status)
