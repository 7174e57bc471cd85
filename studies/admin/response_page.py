"""Reading one response, and deciding on its payment."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.admin import helpers
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies import task_types, tasks
from studies.admin.answers import answer_rows
from studies.admin.base import ModelAdmin, badge, find, require, task_name, visible
from studies.admin.forms import RejectForm
from studies.admin.overrule import may_be_overruled
from studies.admin.process import Process, read_process
from studies.admin.response_offers import offers_for
from studies.durations import say_duration
from studies.models import (
    Assignment,
    AssignmentState,
    PaymentKind,
    PaymentState,
    Response,
    ResponseState,
)
from studies.services.payments import decide_payment
from studies.services.recording import asks_to_record
from studies.withdrawn import is_withdrawn

DECIDE = "studies.add_payment"
BADGES = {
    ResponseState.SUBMITTED: "waiting",
    ResponseState.CONFIRMED: "good",
    ResponseState.UNCONFIRMED: "attention",
}
RELATED = (
    "assignment__participant",
    "assignment__payment__decided_by",
    "assignment__task__story",
    "assignment__task__round__study",
)


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """The story, the answers, what the worker was warned of, and the decision.

    Security: staff who may see responses; others get 403. Buttons for those who may add payments.
    """
    if not admin.has_view_permission(request):
        raise PermissionDenied
    rows = Response.objects.select_related(*RELATED).annotate(withdrawn=is_withdrawn())
    response = find(request, rows, object_id)
    assignment = response.assignment
    return admin.page(
        request,
        "admin/studies/response/page.html",
        title=_("Response %(number)s") % {"number": response.pk},
        original=response,
        response=response,
        number=str(response.pk),
        assignment=assignment,
        round=assignment.task.round,
        item=assignment.task.payload,
        answers=response.answers,
        answer_rows=answer_rows(response.answers, assignment.task.payload, response.task_type),
        review_template=_review_template(response.task_type),
        task_name=task_name(response.task_type),
        badge=BADGES[ResponseState(response.state)],
        decision=decision_of(response),
        payment=getattr(assignment, "payment", None),
        time_text=_time_text(response),
        process=_process(response),
        offers=offers_for(request, response),
        may_decide=may_be_decided(response) and request.user.has_perm(DECIDE),
        may_overrule=may_be_overruled(response) and request.user.has_perm(DECIDE),
        reject_form=RejectForm(),
    )


def approve(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Approve the responses named in the form. POST only; again changes nothing.

    Security: staff who may add payments; others get 403.
    """
    require(request, DECIDE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    chosen = _chosen(request)
    approve_all(request, chosen)
    return _back(request, chosen)


def reject(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Reject the responses named in the form, with the reason the worker reads. POST only.

    Security: staff who may add payments; others get 403.
    """
    require(request, DECIDE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    chosen = _chosen(request)
    form = RejectForm(request.POST)
    if not form.is_valid():
        return _reason_page(admin, request, chosen, form, status=422)
    _decide(request, chosen, PaymentKind.REJECT, form.cleaned_data["reason"])
    return _back(request, chosen)


def ask_reason(admin: ModelAdmin, request: HttpRequest, chosen: QuerySet[Response]) -> HttpResponse:
    return _reason_page(admin, request, chosen, RejectForm())


def approve_all(request: HttpRequest, chosen: QuerySet[Response]) -> None:
    _decide(request, chosen, PaymentKind.APPROVE)


def may_be_decided(response: Response) -> bool:
    return (
        response.state == ResponseState.CONFIRMED
        and response.assignment.state == AssignmentState.SUBMITTED
        and not hasattr(response.assignment, "payment")
    )


def decision_of(response: Response) -> str:
    """Where the payment stands, in words."""
    assignment = response.assignment
    payment = getattr(assignment, "payment", None)
    if payment is not None and payment.state == PaymentState.REFUSED:
        return _("refused by the marketplace")
    if payment is not None and payment.state == PaymentState.WANTED:
        return (
            _("approved, being sent")
            if payment.kind == PaymentKind.APPROVE
            else _("rejected, being sent")
        )
    if payment is not None and payment.overruled_at is not None:
        return _("approved after all")
    if assignment.state in {AssignmentState.APPROVED, AssignmentState.REJECTED}:
        return str(AssignmentState(assignment.state).label)
    return _("not decided") if response.state == ResponseState.CONFIRMED else "–"


def time_spent(response: Response) -> timedelta | None:
    """From accepting to submitting, and of a task taken up again what was worked on it before;
    None where an imported file does not say."""
    if response.assignment.participant_id is None:
        return None
    assignment = response.assignment
    last = max(response.submitted_at - assignment.accepted_at, timedelta(0))
    return last + assignment.worked_before


def _time_text(response: Response) -> str:
    spent = time_spent(response)
    return _("not known") if spent is None else say_duration(spent)


def state_badge(response: Response) -> str:
    state = ResponseState(response.state)
    return badge(BADGES[state], state.label)


def _process(response: Response) -> Process | None:
    """None where the round is one that nothing is ever recorded of."""
    round = response.assignment.task.round
    asked = asks_to_record(round) and not round.past
    return read_process(response.evidence) if asked or response.evidence else None


def _review_template(task_type: str) -> str:
    try:
        return task_types.get(task_type).review_template_name
    except task_types.UnknownTaskType:
        return task_types.TaskType.review_template_name


def _chosen(request: HttpRequest) -> QuerySet[Response]:
    ids = [pk for pk in request.POST.getlist(helpers.ACTION_CHECKBOX_NAME) if pk.isdecimal()]
    return visible(request, Response).filter(pk__in=ids)


def _decide(
    request: HttpRequest, chosen: QuerySet[Response], kind: PaymentKind, reason: str = ""
) -> None:
    with transaction.atomic():
        new = decide_payment(
            assignments=_assignments(chosen), kind=kind, reason=reason, user=request.user
        )
        tasks.send_on_commit(tasks.send_payments)
    skipped = chosen.count() - new
    if new:
        messages.success(request, _decided(kind, new))
    if skipped:
        messages.warning(
            request,
            ngettext(
                "%(count)s response was left as it is: decided already, or not confirmed.",
                "%(count)s responses were left as they are: decided already, or not confirmed.",
                skipped,
            )
            % {"count": skipped},
        )


def _decided(kind: PaymentKind, count: int) -> str:
    if kind == PaymentKind.APPROVE:
        text = ngettext(
            "%(count)s response approved; the payment is being sent.",
            "%(count)s responses approved; the payments are being sent.",
            count,
        )
    else:
        text = ngettext(
            "%(count)s response rejected; the worker reads your reason.",
            "%(count)s responses rejected; the workers read your reason.",
            count,
        )
    return text % {"count": count}


def _assignments(chosen: QuerySet[Response]) -> Iterable[Assignment]:
    return Assignment.objects.filter(response__in=chosen)


def _reason_page(
    admin: ModelAdmin,
    request: HttpRequest,
    chosen: QuerySet[Response],
    form: RejectForm,
    status: int = 200,
) -> HttpResponse:
    responses = list(chosen.select_related(*RELATED).order_by("pk"))
    return admin.page(
        request,
        "admin/studies/response/reject.html",
        title=_("Reject with a reason"),
        status=status,
        responses=[(str(row.pk), row) for row in responses if may_be_decided(row)],
        skipped=sum(not may_be_decided(response) for response in responses),
        form=form,
        checkbox_name=helpers.ACTION_CHECKBOX_NAME,
    )


def _back(request: HttpRequest, chosen: QuerySet[Response]) -> HttpResponse:
    """To the one response, or to the list."""
    ids = list(chosen.values_list("pk", flat=True)[:2])
    single = len(ids) == 1 and "from_page" in request.POST
    address = (
        reverse("admin:studies_response_change", args=ids)
        if single
        else reverse("admin:studies_response_changelist")
    )
    return HttpResponseRedirect(address, status=303)
