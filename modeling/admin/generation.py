from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from modeling.admin import generation_parts
from modeling.models import Generation
from modeling.tasks.task import Scored
from studies.admin.base import ModelAdmin, ReadOnlyAdmin, find, require


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """One output, with what it leads back to.

    Security: researchers of the study who may see generations; others get 403 or 404.
    """
    require(request, "modeling.view_generation")
    rows = Generation.objects.select_related("run__study", "run__release", "release_row")
    generation = find(request, rows, object_id)
    scored = Scored.from_dict(generation.score)
    return admin.page(
        request,
        "admin/modeling/generation/page.html",
        title=str(generation),
        original=generation,
        generation=generation,
        run=generation.run,
        asked=[(name, _shown(value)) for name, value in generation.fields.items()],
        scores=[
            (part, metric, share.value)
            for part, metrics in scored.shares.items()
            for metric, share in metrics.items()
        ],
        problems=list(scored.problems.items()),
        parts=generation_parts.links_to_parts(request, generation),
    )


@admin.register(Generation)
class GenerationAdmin(ReadOnlyAdmin):
    """Outputs of runs."""

    list_display = ["instance_key", "run", "part", "short"]
    list_filter = ["run"]
    list_select_related = ["run"]
    search_fields = ["instance_key", "tuple_key", "output"]
    search_help_text = _("Instance, tuple or words of the output")
    ordering = ["pk"]
    row_page = show
    empty_title = _("No output yet")
    empty_text = _("A run that is done has an output for each instance of the test split.")
    empty_next = (_("See the runs"), "admin:modeling_run_changelist")

    @admin.display(description=_("output"))
    def short(self, generation: Generation) -> str:
        text = generation.output
        return text if len(text) <= 120 else f"{text[:119]}…"


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
