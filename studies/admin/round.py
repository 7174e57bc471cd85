from typing import Any

from django.contrib import admin
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from studies.admin import round_changes, round_limits, round_page
from studies.admin.base import Page, ReadOnlyAdmin, moment, task_name
from studies.models import Round
from studies.services.round_figures import attach_counts


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    """Rounds are launched from their study and changed by the buttons of their page."""

    list_display = ["name", "task", "stands", "collected", "reward", "overlap", "launched"]
    list_filter = ["state", "pilot", "study"]
    list_select_related = ["study"]
    search_fields = ["study__slug", "study__title"]
    search_help_text = _("Title of a study")
    ordering = ["-pk"]
    row_page = round_page.show
    empty_title = _("No round yet")
    empty_text = _("Open a study and choose “Launch a round”.")
    empty_next = (_("See the studies"), "admin:studies_study_changelist")

    def attach_figures(self, rounds: list[Round]) -> None:
        attach_counts(rounds)

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "<int:object_id>/live/": ("studies_round_live", round_page.live),
            "<int:object_id>/hours.csv": ("studies_round_hours", round_page.hours_csv),
            "<int:object_id>/pause/": ("studies_round_pause", round_changes.pause),
            "<int:object_id>/resume/": ("studies_round_resume", round_changes.resume),
            "<int:object_id>/extend/": ("studies_round_extend", round_changes.extend),
            "<int:object_id>/limit/": ("studies_round_limit", round_limits.limit),
            "<int:object_id>/close/": ("studies_round_close", round_changes.close),
        }

    @admin.display(description=_("round"), ordering="study__title")
    def name(self, round: Round) -> str:
        return str(round)

    @admin.display(description=_("task type"), ordering="task_type")
    def task(self, round: Round) -> str:
        name = task_name(round.task_type)
        return f"{name} · {_('pilot')}" if round.pilot else name

    @admin.display(description=_("state"), ordering="state")
    def stands(self, round: Round) -> str:
        return round_page.state_badge(round)

    @admin.display(description=_("collected"))
    def collected(self, round: Any) -> str:
        return str(_("%(collected)s of %(wanted)s")) % {
            "collected": number_format(round.collected_count),
            "wanted": number_format(round.wanted_count),
        }

    @admin.display(description=_("reward"), ordering="reward_usd")
    def reward(self, round: Round) -> str:
        return "–" if round.past else f"${round.reward_usd}"

    @admin.display(description=_("launched"), ordering="created_at")
    def launched(self, round: Round) -> Any:
        return _("imported from a file") if round.past else moment(round.created_at)
