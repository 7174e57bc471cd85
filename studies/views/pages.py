"""The pages of a task: each shows what is true of the assignment now."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from database.prepared import prepared
from studies.frames import Frame
from studies.models import Assignment, AssignmentState, Participant, Response, ResponseState, Round
from studies.services import holds
from studies.services.admission import Refusal
from studies.services.recording import asks_to_record
from studies.tasks import send_on_commit, sync_hold
from studies.views.addresses import address, address_with_token
from studies.views.framed import say
from studies.views.work import token_of, work


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


def must_ask_recording(assignment: Assignment) -> bool:
    assert assignment.participant is not None
    asked = asks_to_record(assignment.task.round)
    return asked and assignment.participant.recording_choice is None


def ask_recording(request: HttpRequest, assignment: Assignment, origin: str) -> HttpResponse:
    """Ask whether it may be recorded how a text comes to be, apart from the study's consent."""
    assert assignment.participant is not None
    token = token_of(assignment, origin)
    context = {
        "study": assignment.task.round.study,
        "choice": assignment.participant.recording_choice,
        "choose_url": address("task-recording"),
        "back_url": address_with_token("task-send", token),
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


def ask_consent(request: HttpRequest, round: Round, frame: Frame) -> HttpResponse:
    to_consent = reverse("task-consent", args=[round.public_id])
    context = {
        "study": round.study,
        "consent_text": round.study.consent_text,
        "agree_url": f"{to_consent}?{request.GET.urlencode()}",
        "submit_origin": frame.submit_origin,
    }
    return render(request, "task/consent.html", context)


NOTHING_LEFT = {
    Refusal.TAKEN: gettext_lazy(
        "Every story of this round that you have not done yet is taken at the moment. "
        "You are offered this task again as soon as one is free."
    ),
    Refusal.ROUND_CAP: gettext_lazy(
        "You have done as many tasks of this round as one worker may. Thank you for all of them."
    ),
    Refusal.STUDY_CAP: gettext_lazy(
        "You have done as many tasks of this study as one worker may. Thank you for all of them."
    ),
    Refusal.OWN: gettext_lazy(
        "What is left of this round is about texts of your own, and nobody judges their own. "
        "You are offered this task again as soon as there is another one for you."
    ),
    Refusal.APART: gettext_lazy(
        "This round needs people who have not worked in another one of this study, and you have. "
        "What you did there counts as before."
    ),
}


def nothing_left(
    request: HttpRequest, round: Round, participant: Participant, frame: Frame, refusal: Refusal
) -> HttpResponse:
    """Say why nothing suits this worker, and keep the round's slots from them until it does."""
    hold = holds.hold_back(round=round, participant=participant)
    send_on_commit(sync_hold, hold.pk)
    context = {
        "study": round.study,
        "reason": NOTHING_LEFT[refusal],
        "submit_origin": frame.submit_origin,
    }
    return render(request, "task/nothing_left.html", context)
