"""Items and ratings: their lists, the page of an item, where the way from a number ends, and where
a rating comes from."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from evaluation.admin import item_page, lineage_page, report_page, runs_report_page
from evaluation.models import Item, Rating
from modeling.admin import generation_parts
from studies.admin import study_parts
from studies.admin.base import Page, ReadOnlyAdmin, moment, name_of
from studies.admin.parts import Part
from studies.admin.study_parts import StudyPart

RATINGS_OF_ITEM = (
    Rating.objects.filter(item=OuterRef("pk"))
    .order_by()
    .values("item")
    .annotate(n=Count("pk"))
    .values("n")
)


@admin.register(Item)
class ItemAdmin(ReadOnlyAdmin):
    """What was rated; reports of a study stand beside it."""

    list_display = ["key", "study", "system", "instrument", "source_and_part", "rated"]
    list_filter = ["study", "instrument", "is_gold"]
    list_select_related = ["study", "instrument"]
    search_fields = ["key", "group", "system"]
    search_help_text = _("Item id, source or system")
    ordering = ["-pk"]
    row_page = item_page.show
    empty_title = _("Nothing rated yet")
    empty_text = _("Items come with ratings that were made elsewhere, or with evaluation rounds.")
    empty_next = (_("Import ratings"), "admin:evaluation_results_upload")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Also by round: its page leads here."""
        return lookup == "task__round__id__exact" or super().lookup_allowed(lookup, value, request)

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        below = "study/<int:study_pk>/"
        return {
            "<int:object_id>/lineage/": ("evaluation_item_lineage", lineage_page.of_item),
            below: ("evaluation_reports", report_page.overview),
            f"{below}runs/<slug:report>/": ("evaluation_runs_report", runs_report_page.show),
            f"{below}runs/<slug:report>/file/": (
                "evaluation_runs_report_file",
                runs_report_page.download,
            ),
            f"{below}<slug:report>/": ("evaluation_report", report_page.show),
            f"{below}<slug:report>/behind/": ("evaluation_report_behind", report_page.behind),
            f"{below}<slug:report>/score/": ("evaluation_report_score", report_page.score),
            f"{below}<slug:report>/file/": ("evaluation_report_file", report_page.download),
        }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: Any = super().get_queryset(request)
        counted: QuerySet[Any] = rows.annotate(n_ratings=Subquery(RATINGS_OF_ITEM))
        return counted

    @admin.display(description=_("source"))
    def source_and_part(self, item: Item) -> str:
        return " · ".join(filter(None, [item.group, item.part])) or "–"

    @admin.display(description=_("ratings"))
    def rated(self, item: Any) -> Any:
        return item.n_ratings or 0


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    """One line for what one rater said of one item."""

    list_display = ["label_or_number", "item", "system", "who", "said", "when"]
    list_filter = ["item__study", "item__instrument"]
    list_select_related = ["item__study", "item__instrument", "rater"]
    search_fields = ["label", "item__key", "item__system", "rater__pseudonym"]
    search_help_text = _("Rating, item, system or pseudonym")
    ordering = ["-pk"]
    row_page = lineage_page.of_rating
    empty_title = _("No rating yet")
    empty_text = _("Ratings made elsewhere are imported from a file.")
    empty_next = (_("Import ratings"), "admin:evaluation_results_upload")

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        below = "of-output/<int:generation_pk>/"
        return {below: ("evaluation_generation_lineage", lineage_page.of_generation)}

    @admin.display(description=_("rating"))
    def label_or_number(self, rating: Rating) -> str:
        return rating.label or str(rating.pk)

    @admin.display(description=_("system"))
    def system(self, rating: Rating) -> str:
        """Of a pair both: "first" and "second" among the answers are these."""
        return ", ".join(filter(None, [rating.item.system, rating.item.rival]))

    @admin.display(description=_("rater"))
    def who(self, rating: Rating) -> str:
        return name_of(rating.rater)

    @admin.display(description=_("answers"))
    def said(self, rating: Rating) -> str:
        """In the order of the instrument; the database keeps names in one of its own."""
        asked = [question["slug"] for question in rating.item.instrument.declaration["questions"]]
        said = rating.answers
        return "; ".join(f"{slug}: {said[slug]}" for slug in asked if slug in said)

    @admin.display(description=_("submitted"), ordering="submitted_at")
    def when(self, rating: Rating) -> str:
        return moment(rating.submitted_at)


study_parts.register(StudyPart(_("Evaluation"), "admin:evaluation_reports", report_page.SEE))
generation_parts.register(
    Part(_("Its ratings"), "admin:evaluation_generation_lineage", report_page.SEE)
)
