from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from studies.admin import round_changes, round_page
from studies.admin.base import ReadOnlyAdmin, moment, task_name
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
    empty_title = _("No round yet")
    empty_text = _("Open a study and choose “Launch a round”.")
    empty_next = (_("See the studies"), "admin:studies_study_changelist")

    def attach_figures(self, rounds: list[Round]) -> None:
        attach_counts(rounds)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = {
            "live": round_page.live,
            "hours.csv": round_page.hours_csv,
            "pause": round_changes.pause,
            "resume": round_changes.resume,
            "extend": round_changes.extend,
            "close": round_changes.close,
        }
        return [
            *(
                path(
                    f"<int:object_id>/{name}" + ("" if "." in name else "/"),
                    view(partial(function, self)),
                    name=f"studies_round_{name.partition('.')[0]}",
                )
                for name, function in own.items()
            ),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        return round_page.show(self, request, object_id)

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
