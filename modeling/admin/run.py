from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from modeling.admin import run_compare, run_page, run_start
from modeling.admin.run_page import BADGES, method_name
from modeling.models import Run, RunState
from studies.admin import study_parts
from studies.admin.base import Page, ReadOnlyAdmin, badge, moment
from studies.admin.study_parts import StudyPart


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Model jobs: what each learns from, how far it has come, what it scored."""

    list_display = ["title", "study", "release", "task", "how", "seed", "stands", "step", "asked"]
    list_filter = ["state", "study", "task", "method"]
    list_select_related = ["study", "release__study"]
    search_fields = ["name", "public_id"]
    search_help_text = _("Name or public id")
    ordering = ["-pk"]
    row_page = run_page.show
    empty_title = _("No run yet")
    empty_text = _("A run has a model learn from a release and answer its test rows.")
    empty_next = (_("Start a run"), "admin:modeling_run_start")
    change_list_template = "admin/modeling/run/change_list.html"

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "start/": ("modeling_run_start", run_start.start),
            "compare/": ("modeling_run_compare", run_compare.compare_runs),
            "study/<int:study_pk>/": ("modeling_run_of_study", run_page.of_study),
            "<int:object_id>/live/": ("modeling_run_live", run_page.live),
            "<int:object_id>/points/": ("modeling_run_points", run_page.points),
            "<int:object_id>/cancel/": ("modeling_run_cancel", run_page.cancel),
            "<int:object_id>/resume/": ("modeling_run_resume", run_page.resume),
        }

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_start = request.user.has_perm(run_start.PERMISSION)
        return super().changelist_view(request, {**(extra_context or {}), "may_start": may_start})

    @admin.display(description=_("run"), ordering="pk")
    def title(self, run: Run) -> str:
        return str(run)

    @admin.display(description=_("method"), ordering="method")
    def how(self, run: Run) -> str:
        return method_name(run.method)

    @admin.display(description=_("state"), ordering="state")
    def stands(self, run: Run) -> str:
        state = RunState(run.state)
        return badge(BADGES[state], state.label)

    @admin.display(description=_("step"))
    def step(self, run: Run) -> str:
        if not run.progress:
            return "–"
        return str(_("%(step)s of %(steps)s")) % {
            "step": number_format(run.progress["step"], force_grouping=True),
            "steps": number_format(run.progress["steps"], force_grouping=True),
        }

    @admin.display(description=_("asked for"), ordering="created_at")
    def asked(self, run: Run) -> str:
        return moment(run.created_at)


study_parts.register(StudyPart(_("Model runs"), "admin:modeling_run_of_study", run_page.SEE))
