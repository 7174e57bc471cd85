"""Review plans: how much is reviewed, how far it is, how far the experts agree."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from annotation.admin import review_plan_page
from annotation.models import ReviewPlan
from annotation.review.plans import PROFICIENT, RULE, ensure_plan, rounds_to_review
from studies.admin import launch_notes
from studies.admin.base import ModelAdmin, Page, moment
from studies.admin.launch_notes import Note
from studies.admin.seen_form import SeenForm
from studies.models import Round, Study
from studies.services.plans import Plan

SHARE = _("Write a share from 0 to 1, with three decimals at most, such as 0.3.")
# What a number that is no share is refused for.
NO_SHARE = (
    "invalid",
    "min_value",
    "max_value",
    "max_digits",
    "max_whole_digits",
    "max_decimal_places",
)


@admin.register(ReviewPlan)
class ReviewPlanAdmin(ModelAdmin):
    """One a study. Seed and study stay as they are: samples were drawn with them."""

    list_display = ["name", "sampled_from", "double_share", "made"]
    list_select_related = ["study"]
    search_fields = ["study__slug", "study__title"]
    search_help_text = _("Title or short name of the study")
    ordering = ["study__title"]
    form = SeenForm
    change_form_outer_before_template = "admin/annotation/review/plan.html"
    empty_title = _("No review plan yet")
    empty_text = _("A plan says how many of a worker’s responses experts judge. Make one a study.")
    empty_next = (_("Make a plan"), "admin:annotation_reviewplan_add")

    class Media:
        css = {"all": ["css/admin-review-plan.css"]}

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "<int:object_id>/top-up/": ("annotation_reviewplan_top_up", review_plan_page.top_up),
            "<int:object_id>/draw-pool/": (
                "annotation_reviewplan_draw_pool",
                review_plan_page.draw_pool,
            ),
        }

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return [(None, {"fields": ["study"]})]
        return [
            (_("What is reviewed"), {"fields": ["rounds", *RULE, "drawn_with"]}),
            (_("Who is proficient"), {"fields": PROFICIENT}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["drawn_with"] if obj else []

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name.endswith("_share"):
            kwargs["error_messages"] = dict.fromkeys(NO_SHARE, SHARE)
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only the study's own rounds can be under review."""
        match = request.resolver_match
        pk = match.kwargs.get("object_id") if match else None
        if db_field.name == "rounds" and pk is not None:
            plans = ReviewPlan.objects.filter(pk=pk)
            rounds = rounds_to_review(Study.objects.filter(review_plan__in=plans))
            kwargs["queryset"] = rounds.order_by("-number")
            kwargs["widget"] = UnfoldAdminCheckboxSelectMultipleWidget()
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        if db_field.name == "rounds":
            field.label_from_instance = round_name
        return field

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """A plan can be made where there is none."""
        field: Any = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "study":
            field.queryset = field.queryset.filter(review_plan=None)
        return field

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """A new plan is the one that the study would get by itself."""
        if change:
            return super().save_form(request, form, change)
        return ensure_plan(study=form.cleaned_data["study"])

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        if change:
            super().save_related(request, form, formsets, change)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        plan = self.get_object(request, object_id)
        shown = review_plan_page.overview_of(plan, request)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A new plan holds what was agreed on; who may change it may make it."""
        return request.user.has_perm("annotation.change_reviewplan")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("study"), ordering="study__title")
    def name(self, plan: ReviewPlan) -> str:
        return str(plan.study)

    @admin.display(description=_("reviewed of a worker’s responses"))
    def sampled_from(self, plan: ReviewPlan) -> str:
        return review_plan_page.rule_words(plan)

    @admin.display(description=_("seed"))
    def drawn_with(self, plan: ReviewPlan) -> str:
        return str(plan.seed)

    @admin.display(description=_("made"), ordering="created_at")
    def made(self, plan: ReviewPlan) -> str:
        return moment(plan.created_at)


def round_name(round: Round) -> str:
    said = {"number": round.number, "state": round.get_state_display()}
    return str(_("Round %(number)s, %(state)s") % said)


def note_on_launch(launch: Plan) -> Note | None:
    """A plan that is there already holds the rounds that were put on it."""
    plan = ReviewPlan.objects.filter(study=launch.study).first()
    if plan is None or launch.pilot or launch.task_type.review is None:
        return None
    return Note(
        _("The study has a review plan already, and the new round is not on it by itself."),
        _("Put it there after the launch"),
        reverse("admin:annotation_reviewplan_change", args=[plan.pk]),
    )


launch_notes.register(note_on_launch)
