"""The reviewer's rooms in the admin: one's turns, what was put off, what experts differ on."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from annotation.admin import review_adjudication, review_desk, review_moves, review_page
from annotation.admin.review_access import REVIEW
from annotation.models import Turn
from annotation.review.counted import GONE
from studies.admin import response_offers
from studies.admin.base import ReadOnlyAdmin
from studies.admin.response_offers import Offer
from studies.models import Response, ResponseState


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """No list and no page of rows: a reviewer sees their own turns, one by one."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own, of_study = "<int:turn_pk>/", "study/<int:study_pk>/"
        pages: list[tuple[str, Any, str]] = [
            ("", partial(review_desk.start, self), ""),
            (of_study + "next/", review_moves.go_on, "_next"),
            (of_study + "later/", partial(review_desk.put_off, self), "_put_off"),
            (of_study + "disputed/", review_adjudication.next_disputed, "_disputed"),
            (of_study + "disputed/<slug:key>/", review_adjudication.show, "_adjudicate"),
            (own, review_page.show, "_turn"),
            (own + "upcoming/", review_page.upcoming, "_upcoming"),
            (own + "later/", review_moves.later, "_later"),
            (own + "undo/", review_moves.undo, "_undo"),
            ("single/<int:contribution_pk>/", review_moves.open_single, "_one"),
        ]
        return [
            path(place, view(page), name=f"annotation_review{name}") for place, page, name in pages
        ]


def offer_review(request: HttpRequest, response: Response) -> Offer | None:
    """To judge a response that is not in the sample."""
    if response.state != ResponseState.CONFIRMED or not request.user.has_perm(REVIEW):
        return None
    unsampled = response.contributions.filter(pick=None).exclude(status__in=GONE)
    contribution = unsampled.order_by("position").first()
    if contribution is None:
        return None
    address = reverse("admin:annotation_review_one", args=[contribution.pk])
    return Offer(_("Review it outside the sample"), address)


response_offers.register(offer_review)
