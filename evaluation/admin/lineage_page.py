"""One page that a rating, an item or an output leads to: the whole way back."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from evaluation.admin.lineage_words import branches_of, steps_above
from evaluation.lineage.chain import Lineage
from evaluation.lineage.reading import (
    GENERATIONS,
    ITEMS,
    RATINGS,
    lineage_of_generation,
    lineage_of_item,
    lineage_of_rating,
)
from studies.admin.base import ModelAdmin, find, require

# It shows something of each of these.
SEE = (
    *("evaluation.view_rating", "evaluation.view_item"),
    *("modeling.view_run", "modeling.view_generation", "annotation.view_release"),
    *("studies.view_response", "studies.view_participant"),
)


def of_rating(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """Security: staff who may see all that the page names, of a study they research; others get
    403 or 404."""
    require(request, *SEE)
    rating = find(request, RATINGS.all(), object_id)
    title = _("Rating %(rating)s") % {"rating": rating.label or rating.pk}
    return _page(admin, request, lineage_of_rating(rating), title, rating)


def of_item(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Security: as `of_rating`."""
    require(request, *SEE)
    item = find(request, ITEMS.all(), object_id)
    return _page(admin, request, lineage_of_item(item), item.key, item)


def of_generation(admin: ModelAdmin, request: HttpRequest, generation_pk: int) -> HttpResponse:
    """Security: as `of_rating`."""
    require(request, *SEE)
    generation = find(request, GENERATIONS.all(), generation_pk)
    lineage = lineage_of_generation(generation)
    return _page(admin, request, lineage, generation.instance_key, generation)


def _page(
    admin: ModelAdmin, request: HttpRequest, lineage: Lineage, title: str, original: Any
) -> HttpResponse:
    return admin.page(
        request,
        "admin/evaluation/lineage/page.html",
        title=title,
        original=original,
        lineage=lineage,
        above=steps_above(lineage),
        branches=branches_of(lineage),
    )
