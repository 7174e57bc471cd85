from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from studies.admin.base import ReadOnlyAdmin, badge, moment, name_of
from studies.models import Payment, PaymentKind, PaymentState

BADGES = {
    PaymentState.WANTED: "waiting",
    PaymentState.CONFIRMED: "good",
    PaymentState.REFUSED: "blocked",
}


class AnsweredFilter(admin.SimpleListFilter):
    title = _("answer of the worker")
    parameter_name = "answered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("answered")), ("no", _("not answered"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Payment]) -> QuerySet[Payment]:
        match self.value():
            case "yes":
                return queryset.filter(answered_at__isnull=False)
            case "no":
                return queryset.filter(kind=PaymentKind.REJECT, answered_at__isnull=True)
        return queryset


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    """What was decided, by whom, and whether the marketplace has it."""

    list_display = ["number", "round", "worker", "kind", "stands", "answered", "decided_by", "when"]
    list_filter = ["state", "kind", AnsweredFilter]
    list_select_related = [
        "assignment__participant",
        "assignment__task__round__study",
        "decided_by",
    ]
    search_fields = ["assignment__participant__pseudonym"]
    search_help_text = _("Pseudonym")
    ordering = ["-pk"]
    fields = [
        "round",
        "worker",
        "kind",
        "reason",
        "answer",
        "answered",
        "overruled",
        "response",
        "stands",
        "error",
        "decided_by",
        "when",
        "confirmed",
    ]
    empty_title = _("No payment yet")
    empty_text = _("Approve or reject responses, and their payments are listed here.")
    empty_next = (_("See the responses"), "admin:studies_response_changelist")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return self.fields  # type: ignore[return-value]

    @admin.display(description=_("payment"), ordering="pk")
    def number(self, payment: Payment) -> str:
        return f"{payment.pk}"

    @admin.display(description=_("round"), ordering="assignment__task__round")
    def round(self, payment: Payment) -> str:
        return str(payment.assignment.task.round)

    @admin.display(description=_("worker"), ordering="assignment__participant__pseudonym")
    def worker(self, payment: Payment) -> str:
        return name_of(payment.assignment.participant)

    @admin.display(description=_("state"), ordering="state")
    def stands(self, payment: Payment) -> str:
        state = PaymentState(payment.state)
        return badge(BADGES[state], state.label)

    @admin.display(description=_("answered"), ordering="answered_at")
    def answered(self, payment: Payment) -> str:
        return moment(payment.answered_at)

    @admin.display(description=_("approved after all"))
    def overruled(self, payment: Payment) -> str:
        return moment(payment.overruled_at)

    @admin.display(description=_("response"))
    def response(self, payment: Payment) -> str:
        response = getattr(payment.assignment, "response", None)
        if response is None:
            return "–"
        address = reverse("admin:studies_response_change", args=[response.pk])
        return format_html('<a href="{}">{}</a>', address, response.pk)

    @admin.display(description=_("decided"), ordering="created_at")
    def when(self, payment: Payment) -> str:
        return moment(payment.created_at)

    @admin.display(description=_("confirmed"))
    def confirmed(self, payment: Payment) -> str:
        return moment(payment.confirmed_at)
