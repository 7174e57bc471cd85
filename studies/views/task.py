"""The task page's addresses. Everything happens in the marketplace's frame, without cookies."""

import json
import logging
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from database.prepared import prepared
from studies import task_types
from studies.frames import FrameRefused, Token, is_preview, read_frame, read_token
from studies.models import Assignment, AssignmentState, Round
from studies.services import reservation, submission
from studies.services.arranging import item_shown
from studies.task_types import Caution, TaskForm
from studies.views import pages
from studies.views.addresses import address_with_token
from studies.views.framed import framed, say
from studies.views.work import preview, work

logger = logging.getLogger(__name__)
# What a body that is no draft raises when it is read.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
BEFORE_ANY = datetime.min.replace(tzinfo=UTC)


@framed
@require_GET
def open_task(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The page that the marketplace frames for one accepted slot, or as a preview.

    Security: whoever holds parameters that the marketplace signed for this worker and assignment;
    others get a page that says the link is not valid. A preview shows an example and saves nothing.
    """
    round = round_of(public_id)
    if is_preview(request.GET):
        return preview(request, round)
    frame = read_frame(request.GET)
    participant = reservation.register_participant(round=round, worker_id=frame.worker_id)
    if not participant.has_consented:
        return pages.ask_consent(request, round, frame)
    try:
        assignment = reservation.reserve_task(round=round, participant=participant, frame=frame)
    except reservation.NothingLeft as nothing:
        return pages.nothing_left(request, round, participant, frame, nothing.refusal)
    except reservation.StaleFrame:
        ended = "over" if frame.deadline <= timezone.now() else "given_back"
        return say(request, ended, submit_origin=frame.submit_origin)
    except reservation.UnknownSlot:
        return say(request, "link", submit_origin=frame.submit_origin)
    return pages.show(request, assignment, frame.submit_origin)


@csrf_exempt
@framed
@require_POST
def give_consent(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The worker agrees; back to the task. Security: signed frame parameters, as `open_task`."""
    round = round_of(public_id)
    frame = read_frame(request.GET)
    participant = reservation.register_participant(round=round, worker_id=frame.worker_id)
    submission.give_consent(participant=participant)
    return see_other(f"{reverse('task', args=[round.public_id])}?{request.GET.urlencode()}")


@csrf_exempt
@require_POST
@never_cache
def save_draft(request: HttpRequest) -> JsonResponse:
    """Keep the text of an open page; answers when it was saved, or what to tell the worker.

    Security: a token that `open_task` gave to this worker for this assignment; else 403.
    """
    try:
        return keep_typed(request)
    except FrameRefused:
        return draft_error(_("This page is not valid any more. Open the task again."), 403)
    except submission.DraftUnreadable:
        return draft_error(_("The draft could not be read. Your text stays on this page."), 400)
    except submission.AlreadySubmitted:
        return draft_error(_("This task is submitted already. Changes no longer count."), 409)
    except submission.TaskReturned:
        words = _("You returned this task. Your text is kept, but not submitted.")
        return draft_error(words, 409, returned=True)
    except (submission.DraftTooLong, RequestDataTooBig):
        return draft_error(_("This is too long to be saved. Please shorten it."), 413)
    except DatabaseError:
        logger.exception("a draft could not be saved")
        return draft_error(_("It cannot be saved right now. Your text stays on this page."), 503)


def keep_typed(request: HttpRequest) -> JsonResponse:
    try:
        body = json.loads(request.body)
        token, fields = read_token(str(body["token"])), dict(body["fields"])
        revision, seen = int(body.get("revision", 0)), body.get("instructions_seen")
        known_at = moment_of(body.get("known_at"))
    except UNREADABLE as error:
        raise submission.DraftUnreadable from error
    assignment = assignment_of(token)
    saved = submission.save_draft(
        assignment_id=assignment.pk,
        fields=fields,
        revision=revision,
        page=token.page,
        known_at=known_at,
        is_leaving=body.get("leaving") is True,
        evidence=body.get("evidence"),
    )
    if seen is True:
        submission.note_instructions_seen(assignment_id=assignment.pk)
    if assignment.state == AssignmentState.RETURNED:
        raise submission.TaskReturned
    return JsonResponse({"saved_at": saved.at.isoformat(), "over_another": saved.over_another})


def moment_of(sent: str | None) -> datetime | None:
    """When the newest draft that the page knows of was saved; "" where it knows of none."""
    if sent is None:
        return None
    return datetime.fromisoformat(sent).astimezone(UTC) if sent else BEFORE_ANY


@csrf_exempt
@framed
@require_POST
def submit_task(request: HttpRequest) -> HttpResponse:
    """Check the answers, ask once about cautions, commit the response, send the browser on.

    Security: a token that `open_task` gave to this worker for this assignment; else 403.
    """
    token = read_token(request.POST.get("token", ""))
    assignment = assignment_of(token)
    if pages.response_of(assignment) is not None:
        return to_send_page(request)
    form_class = task_types.get(assignment.task.round.task_type).form_class
    form = form_class(request.POST, item=item_shown(assignment))
    if not form.is_valid():
        keep_draft(request, assignment, form)
        return work(request, assignment, token.submit_origin, form=form, status=422)
    cautions = form.cautions()
    asked = set(filter(None, request.POST.get("confirmed_cautions", "").split(",")))
    if fresh := [caution for caution in cautions if key_of(caution) not in asked]:
        keep_draft(request, assignment, form)
        return ask_about(request, token, assignment, form, fresh, asked)
    try:
        submission.submit_response(
            assignment=assignment,
            answers=form.answers(),
            cautions=cautions,
            note=request.POST.get("process_note"),
        )
    except submission.TooLate as late:
        keep_draft(request, assignment, form)
        code = "returned" if isinstance(late, submission.TaskReturned) else "late"
        return say(request, code, submit_origin=token.submit_origin, kept=True)
    return to_send_page(request)


@framed
@require_GET
def send_task(request: HttpRequest) -> HttpResponse:
    """The committed response's way to the marketplace. Security: as `submit_task`."""
    token = read_token(request.GET.get("token", ""))
    return pages.show(request, assignment_of(token), token.submit_origin)


def round_of(public_id: UUID) -> Round:
    round = _by_public_id.first(public_id=public_id)
    if round is None:
        raise Http404
    return round


@prepared
def _by_public_id(*, public_id: UUID) -> QuerySet[Round]:
    shown = ("title", "consent_text", "records_process", "export_salt")
    of_study = [f"study__{name}" for name in shown]
    found = Round.objects.select_related("study").only("task_type", "reward_usd", *of_study)
    return found.filter(public_id=public_id)


def assignment_of(token: Token) -> Assignment:
    """Raises FrameRefused when the token's worker and assignment do not belong together."""
    assignment = _of_worker.first(pk=token.assignment, worker_id=token.worker_id)
    if assignment is None:
        raise FrameRefused("token")
    return assignment


@prepared
def _of_worker(*, pk: int, worker_id: str) -> QuerySet[Assignment]:
    # What only some answers show is read when they do.
    own = ("participant", "marketplace_id", "state", "deadline", "draft_saved_at")
    of_round = ("task__round__study", "task__round__task_type", "task__round__reward_usd")
    arranged = ("task__payload", "task__position", "task__round__seed")
    wanted = Assignment.objects.select_related("task__round").only(*own, *arranged, *of_round)
    return wanted.filter(pk=pk, participant__worker__marketplace_id=worker_id)


def ask_about(
    request: HttpRequest,
    token: Token,
    assignment: Assignment,
    form: TaskForm,
    cautions: list[Caution],
    asked: set[str],
) -> HttpResponse:
    """The page again, with what looks odd beside the fields; the next submit confirms it."""
    return work(
        request,
        assignment,
        token.submit_origin,
        form=form,
        cautions=cautions,
        confirmed_cautions=",".join(sorted(asked | {key_of(caution) for caution in cautions})),
    )


def keep_draft(request: HttpRequest, assignment: Assignment, form: TaskForm) -> None:
    """What was sent becomes the draft: the newest there is (its page is gone), and never lost.

    Too long a text, and text beside a response, is not kept as a draft: the page still shows it.
    """
    fields = {
        name: request.POST.getlist(name)
        if getattr(form.fields[name].widget, "allow_multiple_selected", False)
        else request.POST[name]
        for name in form.fields
        if name in request.POST
    }
    with suppress(submission.DraftTooLong, submission.AlreadySubmitted):
        submission.save_draft(assignment_id=assignment.pk, fields=fields)


def key_of(caution: Caution) -> str:
    return f"{caution.field}:{caution.code}"


def to_send_page(request: HttpRequest) -> HttpResponse:
    return see_other(address_with_token("task-send", request.POST["token"]))


def see_other(address: str) -> HttpResponse:
    return HttpResponse(status=303, headers={"Location": address})


def draft_error(sentence: str, status: int, *, returned: bool = False) -> JsonResponse:
    return JsonResponse({"error": sentence, "returned": returned}, status=status)
