"""The question whether it may be recorded how a text comes to be."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from studies.frames import read_token
from studies.services.recording import asks_to_record, decide_recording
from studies.views import pages
from studies.views.addresses import address_with_token
from studies.views.framed import framed
from studies.views.task import assignment_of, see_other

CHOICES = {"yes": True, "no": False}


@csrf_exempt
@framed
@require_http_methods(["GET", "POST"])
def choose_recording(request: HttpRequest) -> HttpResponse:
    """Ask, or keep the answer and go on to the task. Either answer leaves the task open.

    Security: a token that `open_task` gave to this worker for this assignment; else 403.
    """
    given = request.POST if request.method == "POST" else request.GET
    token = read_token(given.get("token", ""))
    assignment = assignment_of(token)
    choice = CHOICES.get(request.POST.get("choice", ""))
    asks = asks_to_record(assignment.task.round)
    if asks and choice is None:
        return pages.ask_recording(request, assignment, token.submit_origin)
    if asks and choice is not None and assignment.participant is not None:
        decide_recording(participant=assignment.participant, agreed=choice)
    return see_other(address_with_token("task-send", given["token"]))
