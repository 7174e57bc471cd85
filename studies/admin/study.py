from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from studies.admin import launch
from studies.admin.base import ModelAdmin
from studies.models import Study
from studies.services.round_figures import with_fee
from studies.services.study_figures import attach_figures, kept_money_of


@admin.register(Study)
class StudyAdmin(ModelAdmin):
    """The study's own page; stories, rounds, participants and responses are a link away."""

    list_display = ["name", "slug", "stories", "rounds", "responses", "spend"]
    search_fields = ["slug", "title"]
    search_help_text = _("Title or short name")
    ordering = ["title", "slug"]
    prepopulated_fields = {"slug": ["title"]}
    fields = ["title", "slug", "consent_text", "records_process", "contact", "budget_usd"]
    change_form_outer_before_template = "admin/studies/study/_overview.html"
    warn_unsaved_form = True
    empty_title = _("No study yet")
    empty_text = _("Create a study first, then import its stories and launch a round.")
    empty_next = (_("Create a study"), "admin:studies_study_add")

    def attach_figures(self, studies: list[Study]) -> None:
        attach_figures(studies)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path(
                "<int:object_id>/launch/",
                view(partial(launch.launch, self)),
                name="studies_study_launch",
            ),
            path(
                "<int:object_id>/launch/estimate/",
                view(partial(launch.estimate, self)),
                name="studies_study_estimate",
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
        study = self.get_object(request, object_id)
        shown = overview_of(study) if study else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else dict(self.prepopulated_fields)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A study with anything in it stays: its rows are research data."""
        if obj is not None and (obj.rounds.exists() or obj.stories.exists()):
            return False
        return super().has_delete_permission(request, obj)

    @admin.display(description=_("study"), ordering="title")
    def name(self, study: Study) -> str:
        return str(study)

    @admin.display(description=_("stories"))
    def stories(self, study: Any) -> str:
        return number_format(study.story_count)

    @admin.display(description=_("rounds"))
    def rounds(self, study: Any) -> str:
        count = number_format(study.round_count)
        if not study.open_count:
            return count
        return str(_("%(count)s (%(open)s open)")) % {
            "count": count,
            "open": number_format(study.open_count),
        }

    @admin.display(description=_("responses"))
    def responses(self, study: Any) -> str:
        return number_format(study.response_count)

    @admin.display(description=_("spent of budget"))
    def spend(self, study: Any) -> str:
        spent = f"${number_format(with_fee(study.approved_usd), 2)}"
        if study.budget_usd is None:
            return spent
        return str(_("%(spent)s of %(budget)s")) % {
            "spent": spent,
            "budget": f"${number_format(study.budget_usd, 2)}",
        }


def overview_of(study: Study) -> dict[str, Any]:
    """What stands above the form of a study."""
    counted_at, money = attach_figures([study]), kept_money_of(study)
    return {
        "study": study,
        "money": money.value,
        "counted_at": counted_at or money.counted_at,
    }
