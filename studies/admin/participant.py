from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from studies import tasks
from studies.admin import participant_facts
from studies.admin.base import ReadOnlyAdmin, moment
from studies.admin.participant_facts import with_facts
from studies.durations import say_duration
from studies.models import Participant
from studies.services import qualification
from studies.services.participant_figures import with_work


class ProficientFilter(admin.SimpleListFilter):
    title = _("proficient")
    parameter_name = "proficient"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("proficient")), ("no", _("not proficient"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Participant]
    ) -> QuerySet[Participant]:
        if self.value() in {"yes", "no"}:
            return queryset.filter(qualified_at__isnull=self.value() == "no")
        return queryset


@admin.register(Participant)
class ParticipantAdmin(ReadOnlyAdmin):
    """Workers under their pseudonyms. Their marketplace id is shown to superusers alone."""

    list_per_page = 40
    list_display = ["pseudonym", "study", "responses", "approved", "rejected", "pace", "proficient"]
    list_filter = [ProficientFilter, "study"]
    list_select_related = ["study"]
    search_fields = ["pseudonym"]
    search_help_text = _("Pseudonym")
    ordering = ["-pk"]
    actions = ["grant", "take_away"]
    readonly_fields = ["responses", "approved", "rejected", "pace", "proficient"]
    readonly_fields += ["consented", "recording", "first_seen", "marketplace_id"]
    empty_title = _("No participant yet")
    empty_text = _("A worker appears here, under a pseudonym, with the first task they open.")
    empty_next = (_("See the rounds"), "admin:studies_round_changelist")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Participant]:
        return with_facts(with_work(super().get_queryset(request)))

    def get_list_display(self, request: HttpRequest) -> Any:
        return [*super().get_list_display(request), *participant_facts.shown()]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), *participant_facts.shown()]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown: list[Any] = ["pseudonym", "study", "responses", "approved", "rejected", "pace"]
        shown += ["proficient", *participant_facts.shown(), "consented", "recording", "first_seen"]
        return [*shown, "marketplace_id"] if _is_superuser(request) else shown

    def has_qualify_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("studies.change_participant")

    @admin.action(description=_("Mark as proficient"), permissions=["qualify"])
    def grant(self, request: HttpRequest, queryset: QuerySet[Participant]) -> None:
        count = _apply(qualification.grant_qualification, queryset)
        text = ngettext(
            "%(count)s worker is proficient now; the marketplace is being told.",
            "%(count)s workers are proficient now; the marketplace is being told.",
            count,
        )
        _say(request, text, count)

    @admin.action(description=_("Mark as no longer proficient"), permissions=["qualify"])
    def take_away(self, request: HttpRequest, queryset: QuerySet[Participant]) -> None:
        count = _apply(qualification.withdraw_qualification, queryset)
        text = ngettext(
            "%(count)s worker is no longer proficient; the marketplace is being told.",
            "%(count)s workers are no longer proficient; the marketplace is being told.",
            count,
        )
        _say(request, text, count)

    @admin.display(description=_("responses"), ordering="response_count")
    def responses(self, participant: Any) -> str:
        address = f"{reverse('admin:studies_response_changelist')}?q={participant.pseudonym}"
        return format_html(
            '<a href="{}">{}</a>', address, number_format(participant.response_count)
        )

    @admin.display(description=_("approved"), ordering="approved_count")
    def approved(self, participant: Any) -> str:
        return number_format(participant.approved_count)

    @admin.display(description=_("rejected"), ordering="rejected_count")
    def rejected(self, participant: Any) -> str:
        return number_format(participant.rejected_count)

    @admin.display(description=_("median time"), ordering="median_time")
    def pace(self, participant: Any) -> str:
        median = participant.median_time
        return say_duration(median) if median is not None else "–"

    @admin.display(description=_("proficient"), ordering="qualified_at")
    def proficient(self, participant: Participant) -> str:
        wanted = participant.qualified_at is not None
        if participant.qualification_applied:
            return str(_("proficient")) if wanted else "–"
        return str(_("proficient, being sent") if wanted else _("taken away, being sent"))

    @admin.display(description=_("consented"))
    def consented(self, participant: Participant) -> str:
        return moment(participant.consented_at)

    @admin.display(description=_("recording of how they write"))
    def recording(self, participant: Participant) -> str:
        if participant.recording_agreed is None:
            return str(_("not asked yet"))
        answer = _("agreed") if participant.recording_agreed else _("declined")
        return format_html(
            "{}, {} ({})",
            answer,
            moment(participant.recording_decided_at),
            _("question %(version)s") % {"version": participant.recording_version},
        )

    @admin.display(description=_("first seen"))
    def first_seen(self, participant: Participant) -> str:
        return moment(participant.created_at)

    @admin.display(description=_("marketplace id"))
    def marketplace_id(self, participant: Participant) -> str:
        return participant.worker.marketplace_id


def _is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def _apply(service: Callable[..., int], chosen: QuerySet[Participant]) -> int:
    with transaction.atomic():
        count = service(participants=chosen)
        tasks.send_on_commit(tasks.apply_qualifications)
    return count


def _say(request: HttpRequest, text: str, count: int) -> None:
    if count:
        messages.success(request, text % {"count": number_format(count)})
    else:
        messages.warning(request, _("Nothing to change for these workers."))
