"""The task page for one assignment, and as a preview."""

import hashlib
import hmac
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from studies import task_types
from studies.frames import FrameRefused, Token, make_token, submit_origin
from studies.models import Assignment, Round
from studies.services.arranging import item_shown
from studies.services.recording import asks_to_record
from studies.task_types import Caution, TaskForm
from studies.views.addresses import address_with_token
from studies.views.task_page import (
    NOTHING_WRITTEN,
    Look,
    Recording,
    Texts,
    clock,
    dollars,
    filled_page,
    iso,
    render_page,
)


def work(
    request: HttpRequest,
    assignment: Assignment,
    origin: str,
    *,
    form: TaskForm | None = None,
    cautions: Sequence[Caution] = (),
    confirmed_cautions: str = "",
    status: int = 200,
) -> HttpResponse:
    """The task page with the draft, or with `form` as it was just sent."""
    round, item = assignment.task.round, item_shown(assignment)
    task_type = task_types.get(round.task_type)
    texts = _texts(assignment, origin)
    look = _look(request, assignment)
    if form is None and _is_untouched(assignment) and task_type.fills_in_page:
        return HttpResponse(filled_page(task_type, item, texts, look))
    form = form or task_type.form_class(item=item, initial=assignment.draft.get("fields"))
    saved_at = assignment.draft_saved_at
    written = {
        "saved_at": iso(saved_at) if saved_at else "",
        "saved_at_clock": clock(saved_at) if saved_at else "",
        "cautions": cautions,
        "confirmed_cautions": confirmed_cautions,
    }
    page = render_page(task_type, item, form, vars(texts), look, written)
    return HttpResponse(page, status=status)


def preview(request: HttpRequest, round: Round) -> HttpResponse:
    """An example of the task, which belongs to no assignment."""
    try:
        origin = submit_origin(request.GET.get("turkSubmitTo", ""))
    except FrameRefused:
        origin = ""
    task_type = task_types.get(round.task_type)
    item, fields = task_type.preview(round)
    form = task_type.form_class(item=item, initial=fields)
    texts = Texts(round.study.title, dollars(round.reward_usd), submit_origin=origin)
    page = render_page(task_type, item, form, vars(texts), Look(preview=True), NOTHING_WRITTEN)
    return HttpResponse(page)


def token_of(assignment: Assignment, origin: str) -> str:
    assert assignment.participant is not None
    return make_token(
        Token(
            worker_id=assignment.participant.worker.marketplace_id,
            assignment=assignment.pk,
            submit_origin=origin,
        )
    )


def _is_untouched(assignment: Assignment) -> bool:
    return not (assignment.draft or assignment.draft_saved_at or assignment.evidence)


def _texts(assignment: Assignment, origin: str) -> Texts:
    round, deadline = assignment.task.round, assignment.deadline
    token = token_of(assignment, origin)
    asks = asks_to_record(round)
    return Texts(
        study_title=round.study.title,
        reward=dollars(round.reward_usd),
        token=token,
        participant_key=_copy_key(assignment),
        submit_origin=origin,
        now=iso(timezone.now()),
        deadline=iso(deadline) if deadline else "",
        deadline_clock=clock(deadline) if deadline else "",
        recording_address=address_with_token("task-recording", token) if asks else "",
    )


def _look(request: HttpRequest, assignment: Assignment) -> Look:
    round, participant = assignment.task.round, assignment.participant
    assert participant is not None
    recording = None
    if asks_to_record(round):
        note = request.POST.get("process_note", assignment.evidence.get("note", ""))
        recording = Recording(on=bool(participant.recording_choice), note=note)
    return Look(
        first_visit=round.task_type not in participant.instructions_seen,
        recording=recording,
        timed=assignment.deadline is not None,
    )


def _copy_key(assignment: Assignment) -> str:
    """Names the browser's own copy of unsaved text; tells nothing about the assignment.

    The same after a change of the site's secret key: who typed meanwhile finds their text again.
    """
    key = assignment.task.round.study.export_salt.encode()
    return hmac.new(key, f"copy:{assignment.pk}".encode(), hashlib.sha256).hexdigest()[:20]
