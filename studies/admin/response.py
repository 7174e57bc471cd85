from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from studies.admin import overrule, response_page
from studies.admin.base import Page, ReadOnlyAdmin, badge, moment, name_of, one_line, visible
from studies.durations import say_duration
from studies.models import Response, Round
from studies.withdrawn import is_withdrawn

DECIDE = "studies.add_payment"
MOST_OFFERED = 100


def rounds_of(request: Any) -> list[Round]:
    """Those that this person may see, the newest first: read once for the filters by them."""
    if not hasattr(request, "fabula_rounds"):
        rounds = visible(request, Round).select_related("study").order_by("-pk")
        request.fabula_rounds = list(rounds.only("number", "study__title", "study__slug"))
    found: list[Round] = request.fabula_rounds
    return found


class StudyFilter(admin.SimpleListFilter):
    title = _("study")
    parameter_name = "study"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        studies = {str(round.study_id): str(round.study) for round in rounds_of(request)}
        return sorted(studies.items(), key=lambda study: study[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[Response]) -> QuerySet[Response]:
        value = self.value()
        if value is None or not value.isdecimal():
            return queryset
        return queryset.filter(assignment__task__round__study=int(value))


class RoundFilter(admin.SimpleListFilter):
    """Of the chosen study, or the newest of all."""

    title = _("round")
    parameter_name = "round"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        study = request.GET.get("study")
        offered = [one for one in rounds_of(request) if study in (None, str(one.study_id))]
        return [(str(round.pk), str(round)) for round in offered[:MOST_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Response]) -> QuerySet[Response]:
        value = self.value()
        if value is None or not value.isdecimal():
            return queryset
        return queryset.filter(assignment__task__round=int(value))


class CautionFilter(admin.SimpleListFilter):
    title = _("warnings")
    parameter_name = "warnings"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("with warnings")), ("no", _("without"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Response]) -> QuerySet[Response]:
        match self.value():
            case "yes":
                return queryset.exclude(cautions=[])
            case "no":
                return queryset.filter(cautions=[])
        return queryset


class WithdrawnFilter(admin.SimpleListFilter):
    title = _("withdrawn")
    parameter_name = "withdrawn"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("withdrawn")), ("no", _("not withdrawn"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Response]) -> QuerySet[Response]:
        match self.value():
            case "yes":
                return queryset.filter(is_withdrawn())
            case "no":
                return queryset.filter(~is_withdrawn())
        return queryset


class DecisionFilter(admin.SimpleListFilter):
    title = _("decision")
    parameter_name = "decision"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("open", _("not decided")),
            ("approved", _("approved")),
            ("rejected", _("rejected")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Response]) -> QuerySet[Response]:
        decided = Q(assignment__state__in=["approved", "rejected"])
        match self.value():
            case "open":
                return queryset.filter(assignment__payment__isnull=True).exclude(decided)
            case "approved":
                return queryset.filter(
                    Q(assignment__state="approved") | Q(assignment__payment__kind="approve")
                )
            case "rejected":
                return queryset.filter(
                    Q(assignment__state="rejected") | Q(assignment__payment__kind="reject")
                )
        return queryset


@admin.register(Response)
class ResponseAdmin(ReadOnlyAdmin):
    """Workers appear under their pseudonyms; nothing of the marketplace is shown."""

    list_display = ["number", "round", "worker", "stands", "decision", "when", "took", "warnings"]
    list_filter = [
        "state",
        DecisionFilter,
        CautionFilter,
        WithdrawnFilter,
        StudyFilter,
        RoundFilter,
    ]
    list_select_related = [
        "assignment__participant",
        "assignment__payment",
        "assignment__task__round__study",
    ]
    search_fields = ["assignment__participant__pseudonym", "assignment__task__story__external_id"]
    search_help_text = _("Pseudonym or story id")
    ordering = ["-pk"]
    actions = ["approve", "reject"]
    row_page = response_page.show
    empty_title = _("No response yet")
    empty_text = _("Responses appear here as workers send them.")
    empty_next = (_("See the rounds"), "admin:studies_round_changelist")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        shown: QuerySet[Any] = rows.annotate(withdrawn=is_withdrawn())
        return shown

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(DECIDE)

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "reject/": ("studies_reject", response_page.reject),
            "approve/": ("studies_approve", response_page.approve),
            "<int:object_id>/approve-after-all/": (
                "studies_approve_after_all",
                overrule.approve_after_all,
            ),
        }

    @admin.action(description=_("Approve"), permissions=["decide"])
    def approve(self, request: HttpRequest, queryset: QuerySet[Response]) -> None:
        response_page.approve_all(request, queryset)

    @admin.action(description=_("Reject with a reason"), permissions=["decide"])
    def reject(self, request: HttpRequest, queryset: QuerySet[Response]) -> HttpResponse:
        return response_page.ask_reason(self, request, queryset)

    @admin.display(description=_("response"), ordering="pk")
    def number(self, response: Response) -> str:
        return f"{response.pk}"

    @admin.display(description=_("round"), ordering="assignment__task__round")
    def round(self, response: Response) -> str:
        return str(response.assignment.task.round)

    @admin.display(description=_("worker"), ordering="assignment__participant__pseudonym")
    def worker(self, response: Response) -> str:
        return name_of(response.assignment.participant)

    @admin.display(description=_("state"), ordering="state")
    def stands(self, response: Any) -> Any:
        state = response_page.state_badge(response)
        if not response.withdrawn:
            return state
        return format_html("{} {}", state, badge("quiet", _("withdrawn")))

    @admin.display(description=_("decision"))
    def decision(self, response: Response) -> str:
        return one_line(response_page.decision_of(response))

    @admin.display(description=_("submitted"), ordering="submitted_at")
    def when(self, response: Response) -> Any:
        return moment(response.submitted_at)

    @admin.display(description=_("time spent"))
    def took(self, response: Response) -> str:
        taken = response_page.time_spent(response)
        return say_duration(taken) if taken is not None else "–"

    @admin.display(description=_("warnings"))
    def warnings(self, response: Response) -> str:
        return number_format(len(response.cautions)) if response.cautions else "–"
