"""Where a finished HIT's answers arrive, from a form in the frame."""

import logging
import re
from dataclasses import dataclass
from http import HTTPStatus

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from marketplace.errors import AssignmentNotFound, AssignmentReturned, TimeRanOut
from marketplace.frames import NO_ASSIGNMENT, is_signed, submit_origin
from marketplace.models import Assignment
from marketplace.services.assignments import submit_assignment
from marketplace.site.words import usd

logger = logging.getLogger(__name__)
# Anything else names no assignment; some of it, a database would not even look for.
ASSIGNMENT_ID = re.compile(r"[A-Za-z0-9]{1,64}")
# Not answers: they say which assignment it is and that our frame opened it.
NOT_ANSWERS = ("assignmentId", "fabulaSignature")


@dataclass(frozen=True)
class Answer:
    """What is shown in the frame; `assignment` when its own page can tell more."""

    status: int
    title: str
    message: str
    assignment: Assignment | None = None

    @property
    def is_submitted(self) -> bool:
        return self.status == HTTPStatus.OK


@csrf_exempt
@never_cache
def external_submit(request: HttpRequest) -> HttpResponse:
    """Take a form's fields as the answers of an assignment; sending them again is harmless.

    Security: whoever knows the assignment's id, which nobody can guess; cookies are neither read
    nor set, as browsers do not send them from a frame. A worker id or signature sent along must
    be the assignment's, else it is as unknown (404). Late is 410, returned 409.
    """
    try:
        answer = answer_to(request)
    except DatabaseError:
        logger.exception("Answers could not be taken")
        answer = Answer(
            HTTPStatus.SERVICE_UNAVAILABLE,
            _("This cannot be done right now"),
            _("Your answers were not taken. Go back and submit again in a minute."),
        )
    context = {
        "answer": answer,
        "submit_origin": submit_origin(),
        "reward": usd(answer.assignment.hit.hit_type.reward_usd) if answer.assignment else "",
    }
    page = render_to_string("worker/external_submit.html", context)
    response = dress(HttpResponse(page, status=answer.status))
    if answer.status == HTTPStatus.METHOD_NOT_ALLOWED:
        response["Allow"] = "POST"
    return response


def dress(response: HttpResponse) -> HttpResponse:
    """Let the worker site, and nobody else, frame what is answered here."""
    response.csp_overrides = {  # type: ignore[attr-defined]
        "frame-ancestors": f"'self' {submit_origin()}"
    }
    response.xframe_options_exempt = True
    return response


external_submit.dress = dress  # type: ignore[attr-defined]


def answer_to(request: HttpRequest) -> Answer:
    if request.method != "POST":
        return Answer(
            HTTPStatus.METHOD_NOT_ALLOWED,
            _("Nothing was sent"),
            _("Answers arrive here when you submit a task. Go back to the list to find one."),
        )
    try:
        sent = request.POST
    except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent):
        return Answer(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            _("The answers are too long"),
            _("They were not taken. Go back, shorten them and submit again."),
        )
    except MultiPartParserError:
        return Answer(
            HTTPStatus.BAD_REQUEST,
            _("The answers could not be read"),
            _("They were not taken. Go back and submit again."),
        )
    assignment_id = sent.get("assignmentId") or request.GET.get("assignmentId", "")
    if assignment_id == NO_ASSIGNMENT:
        return Answer(
            HTTPStatus.BAD_REQUEST,
            _("This was a preview"),
            _("Nothing was sent. Accept the task first, then do it and submit."),
        )
    fields = [
        (name, value)
        for name, values in sent.lists()
        if name not in NOT_ANSWERS
        for value in values
    ]
    return _submitted(assignment_id, fields, sent.get("workerId"), sent.get("fabulaSignature"))


def _submitted(
    assignment_id: str,
    fields: list[tuple[str, str]],
    worker_id: str | None,
    signature: str | None,
) -> Answer:
    try:
        if not ASSIGNMENT_ID.fullmatch(assignment_id):
            raise AssignmentNotFound
        if signature is not None:
            _check_signature(assignment_id, signature)
        assignment = submit_assignment(
            assignment_id=assignment_id, fields=fields, worker_id=worker_id
        )
    except AssignmentNotFound:
        return Answer(
            HTTPStatus.NOT_FOUND,
            _("This task is not known here"),
            _(
                "Nothing was taken. Open the task from your list and submit it there; if it is no "
                "longer in the list, its time ran out or it was returned."
            ),
        )
    except AssignmentReturned as refusal:
        return Answer(
            HTTPStatus.CONFLICT,
            _("You returned this task"),
            _("So its answers were not taken. You can accept another one from the list."),
            refusal.assignment,
        )
    except TimeRanOut as refusal:
        return Answer(
            HTTPStatus.GONE,
            _("The time ran out before the answers arrived"),
            _("They were not taken, and this does not count against you."),
            refusal.assignment,
        )
    return Answer(HTTPStatus.OK, _("Thank you. Your answers are in."), "", assignment)


def _check_signature(assignment_id: str, signature: str) -> None:
    """Raises AssignmentNotFound unless the signature is the one that the frame was opened with."""
    assignment = (
        Assignment.objects.select_related("hit__requester", "worker")
        .filter(assignment_id=assignment_id)
        .first()
    )
    if assignment is None or not is_signed(assignment, signature):
        raise AssignmentNotFound
