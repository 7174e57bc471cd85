"""The pages of a task: each shows what is true of the assignment now."""

import hashlib
import hmac
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from database.prepared import prepared
from studies import task_types
from studies.frames import Frame, FrameRefused, Token, make_token, submit_origin
from studies.models import Assignment, AssignmentState, Participant, Response, ResponseState, Round
from studies.services import holds
from studies.services.evidence import NOTE_LENGTH
from studies.task_types import TaskForm
from studies.tasks import send_on_commit, sync_hold
from studies.views.framed import say


def show(request: HttpRequest, assignment: Assignment, origin: str) -> HttpResponse:
    """The work itself, or the way on for a committed response, or what became of it."""
    response = response_of(assignment)
    over = assignment.deadline is not None and assignment.deadline <= timezone.now()
    if response is None:
        if assignment.state != AssignmentState.ACCEPTED:
            return say(request, "stale", submit_origin=origin, kept=bool(assignment.draft))
        if over:
            return say(request, "late", submit_origin=origin, kept=bool(assignment.draft))
        if must_ask_recording(assignment):
            return ask_recording(request, assignment, origin)
        return work(request, assignment, origin)
    if response.state == ResponseState.CONFIRMED:
        return say(request, "done", submit_origin=origin)
    if over or response.state != ResponseState.SUBMITTED:
        return say(request, "unsent", submit_origin=origin, kept=True)
    return send(request, assignment, origin)


def response_of(assignment: Assignment) -> Response | None:
    """What was committed; an assignment that is being worked on has none."""
    if assignment.state == AssignmentState.ACCEPTED:
        return None
    return _response.first(assignment=assignment.pk)


@prepared
def _response(*, assignment: int) -> QuerySet[Response]:
    return Response.objects.filter(assignment=assignment)


def work(
    request: HttpRequest,
    assignment: Assignment,
    origin: str,
    *,
    form: TaskForm | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The task page with the draft, or with `form` as it was just sent."""
    round = assignment.task.round
    task_type = task_types.get(round.task_type)
    item = assignment.task.payload
    assert assignment.participant is not None
    context = {
        "study": round.study,
        "round": round,
        "task_type": task_type,
        "item": item,
        "form": form or task_type.form_class(item=item, initial=assignment.draft.get("fields")),
        "token": token_of(assignment, origin),
        "recording": recording_of(request, assignment),
        "draft_url": reverse("task-draft"),
        "submit_url": reverse("task-submit"),
        "deadline": assignment.deadline,
        "saved_at": assignment.draft_saved_at,
        "cautions": [],
        "confirmed_cautions": "",
        "first_visit": round.task_type not in assignment.participant.instructions_seen,
        "preview": False,
        "submit_origin": origin,
        "participant_key": copy_key(assignment),
        **more,
    }
    return render(request, "task/page.html", context, status=status)


def must_ask_recording(assignment: Assignment) -> bool:
    assert assignment.participant is not None
    wanted = assignment.task.round.study.records_process
    return wanted and assignment.participant.recording_choice is None


def recording_of(request: HttpRequest, assignment: Assignment) -> dict[str, Any] | None:
    """Whether it is recorded how the text comes to be, and the worker's line about it."""
    assert assignment.participant is not None
    if not assignment.task.round.study.records_process:
        return None
    return {
        "on": bool(assignment.participant.recording_choice),
        "address": reverse("task-recording"),
        "note": request.POST.get("process_note", assignment.evidence.get("note", "")),
        "note_length": NOTE_LENGTH,
    }


def ask_recording(request: HttpRequest, assignment: Assignment, origin: str) -> HttpResponse:
    """Ask whether it may be recorded how a text comes to be, apart from the study's consent."""
    assert assignment.participant is not None
    token = token_of(assignment, origin)
    context = {
        "study": assignment.task.round.study,
        "choice": assignment.participant.recording_choice,
        "choose_url": reverse("task-recording"),
        "back_url": f"{reverse('task-send')}?{urlencode({'token': token})}",
        "token": token,
        "submit_origin": origin,
    }
    return render(request, "task/recording.html", context)


def send(request: HttpRequest, assignment: Assignment, origin: str) -> HttpResponse:
    """A form that takes the browser to the marketplace's submit address."""
    context = {
        "study": assignment.task.round.study,
        "submit_action": f"{origin}/mturk/externalSubmit",
        "fields": {"assignmentId": assignment.marketplace_id, "response": "saved"},
        "submit_origin": origin,
    }
    return render(request, "task/send.html", context)


# A preview belongs to no assignment.
NOBODY_WORKS: dict[str, Any] = {
    "token": "",
    "recording": None,
    "draft_url": "",
    "submit_url": "",
    "deadline": None,
    "saved_at": None,
    "cautions": [],
    "confirmed_cautions": "",
    "first_visit": False,
    "participant_key": "",
}


def preview(request: HttpRequest, round: Round) -> HttpResponse:
    task_type = task_types.get(round.task_type)
    item = task_type.example_item()
    try:
        origin = submit_origin(request.GET.get("turkSubmitTo", ""))
    except FrameRefused:
        origin = ""
    context = {
        "study": round.study,
        "round": round,
        "task_type": task_type,
        "item": item,
        "form": task_type.form_class(item=item, initial=task_type.example_answers()),
        "preview": True,
        "submit_origin": origin,
        **NOBODY_WORKS,
    }
    return render(request, "task/page.html", context)


def ask_consent(request: HttpRequest, round: Round, frame: Frame) -> HttpResponse:
    address = reverse("task-consent", args=[round.public_id])
    context = {
        "study": round.study,
        "consent_text": round.study.consent_text,
        "agree_url": f"{address}?{request.GET.urlencode()}",
        "submit_origin": frame.submit_origin,
    }
    return render(request, "task/consent.html", context)


def nothing_left(
    request: HttpRequest, round: Round, participant: Participant, frame: Frame
) -> HttpResponse:
    """Say that nothing suits this worker, and keep the round's slots from them until it does."""
    hold = holds.hold_back(round=round, participant=participant)
    send_on_commit(sync_hold, hold.pk)
    context = {
        "study": round.study,
        "reason": _(
            "Every story of this round that you have not done yet is taken at the moment. "
            "You are offered this task again as soon as one is free."
        ),
        "submit_origin": frame.submit_origin,
    }
    return render(request, "task/nothing_left.html", context)


def token_of(assignment: Assignment, origin: str) -> str:
    assert assignment.participant is not None
    return make_token(
        Token(
            worker_id=assignment.participant.worker.marketplace_id,
            assignment=assignment.pk,
            submit_origin=origin,
        )
    )


def copy_key(assignment: Assignment) -> str:
    """Names the browser's own copy of unsaved text; tells nothing about the assignment."""
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"copy:{assignment.pk}".encode(), hashlib.sha256).hexdigest()[:20]
