from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from studies.admin import figures_page, launch
from studies.admin.base import ModelAdmin, Page
from studies.admin.member import MembershipInline
from studies.admin.seen_form import SeenForm
from studies.admin.study_parts import links_to_parts
from studies.models import Round, Story, Study, StudyRole
from studies.services.members import add_member
from studies.services.studies import SETTINGS
from studies.services.study_figures import attach_figures, kept_money_of


@admin.register(Study)
class StudyAdmin(ModelAdmin):
    """The study's own page; stories, rounds, participants and responses are a link away."""

    list_display = ["name", "slug", "stories", "rounds", "responses", "spend"]
    search_fields = ["slug", "title"]
    search_help_text = _("Title or short name")
    ordering = ["title", "slug"]
    prepopulated_fields = {"slug": ["title"]}
    form = SeenForm
    fields = list(SETTINGS)
    change_form_outer_before_template = "admin/studies/study/_overview.html"
    inlines = [MembershipInline]
    warn_unsaved_form = True
    empty_title = _("No study yet")
    empty_text = _("Create a study first, then import its stories and launch a round.")
    empty_next = (_("Create a study"), "admin:studies_study_add")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With `is_used`: whether anything stands in the study."""
        of_study = {"study": OuterRef("pk")}
        used = Exists(Round.objects.filter(**of_study)) | Exists(Story.objects.filter(**of_study))
        rows: QuerySet[Any] = super().get_queryset(request).annotate(is_used=used)
        return rows

    def attach_figures(self, studies: list[Study]) -> None:
        attach_figures(studies)

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "<int:object_id>/launch/": ("studies_study_launch", launch.launch),
            "<int:object_id>/launch/estimate/": ("studies_study_estimate", launch.estimate),
            "<int:object_id>/figures/": ("studies_study_figures", figures_page.show),
            "<int:object_id>/figures/<slug:slug>.csv": (
                "studies_study_figure_rows",
                figures_page.rows,
            ),
        }

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        study = kwargs.get("obj")
        shown = overview_of(study) | {"parts": links_to_parts(request, study)} if study else {}
        return super().render_change_form(request, {**context, **shown}, *args, **kwargs)

    def get_inlines(self, request: HttpRequest, obj: Any) -> list[Any]:
        return self.inlines if obj else []

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Whoever makes a study works on it."""
        super().save_model(request, obj, form, change)
        if not change and isinstance(request.user, User):
            add_member(study=obj, user=request.user, role=StudyRole.RESEARCHER)

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else dict(self.prepopulated_fields)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A study with anything in it stays: its rows are research data."""
        if obj is not None and obj.is_used:
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
        spent = f"${number_format(study.spent_usd, 2)}"
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
