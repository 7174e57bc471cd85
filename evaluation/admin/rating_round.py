"""Evaluation rounds: their list, and the page of one with what its raters know."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.admin import rating_launch
from evaluation.models import Item, Rating, RatingRound
from evaluation.services.gold_results import rater_results
from studies.admin import study_parts
from studies.admin.base import ModelAdmin, Page, ReadOnlyAdmin, find, require
from studies.admin.study_parts import StudyPart
from studies.withdrawn import is_withdrawn

SEE = "evaluation.view_ratinground"
KINDS = {
    "file": gettext_lazy("file"),
    "release": gettext_lazy("release"),
    "runs": gettext_lazy("runs"),
}


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """Security: staff who may see evaluation rounds, of a study they research; others get 403 or
    404."""
    require(request, SEE)
    rows = RatingRound.objects.select_related("round__study", "instrument", "release")
    made = find(request, rows, object_id)
    items = Item.objects.filter(task__round=made.round)
    ratings = Rating.objects.filter(item__task__round=made.round)
    return admin.page(
        request,
        "admin/evaluation/rating_round/page.html",
        title=str(made),
        original=made,
        made=made,
        source=source_words(made.source),
        seed=str(made.seed),
        items=items.filter(is_gold=False).count(),
        gold=items.filter(is_gold=True).count(),
        ratings=ratings.filter(~is_withdrawn("response")).count(),
        withdrawn=ratings.filter(is_withdrawn("response")).count(),
        raters=rater_results(made.round),
    )


def source_words(source: dict[str, Any]) -> str:
    """Where the items came from, in words."""
    kind = str(KINDS[source["kind"]])
    match source["kind"]:
        case "file":
            return f"{kind} {source['name']}"
        case "release":
            marked = _("marked") if source["input"] == "marked" else _("without marks")
            return f"{kind} {source['release']}, {marked}"
    return f"{kind} {', '.join(sorted(source['runs'].values()))}"


@admin.register(RatingRound)
class RatingRoundAdmin(ReadOnlyAdmin):
    list_display = ["round", "instrument", "items_from", "sample", "same_raters"]
    list_filter = ["round__study", "instrument"]
    list_select_related = ["round__study", "instrument"]
    search_fields = ["round__study__title", "instrument__title"]
    search_help_text = gettext_lazy("Study or instrument")
    ordering = ["-pk"]
    row_page = show
    empty_title = gettext_lazy("No evaluation round yet")
    empty_text = gettext_lazy("Launch one from the page of a study.")

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "launch/<int:study_pk>/": ("evaluation_launch", rating_launch.ask),
            "launch/review/<str:planned>/": ("evaluation_launch_review", rating_launch.review),
        }

    @admin.display(description=gettext_lazy("items from"))
    def items_from(self, made: RatingRound) -> str:
        return source_words(made.source)


study_parts.register(
    StudyPart(
        gettext_lazy("Launch an evaluation round"), "admin:evaluation_launch", "studies.add_round"
    )
)
