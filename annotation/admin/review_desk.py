"""The reviewer's first page, and what they put off."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.admin.review_access import reviewer_of, study_to_review
from annotation.admin.review_page import address_of, standing
from annotation.admin.review_reading import title_of
from annotation.models import ReviewPlan
from annotation.review import queue
from annotation.review.adjudication import open_to
from studies.access import visible_studies
from studies.admin.base import ModelAdmin, moment

START = "admin/annotation/review/start.html"
PUT_OFF = "admin/annotation/review/put_off.html"


def start(admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The studies to review, and how far this person is with each.

    Security: staff who may add verdicts; others get 403. Only studies that they work on.
    """
    reviewer = reviewer_of(request)
    plans = ReviewPlan.objects.filter(study__in=visible_studies(reviewer)).select_related("study")
    desks = [
        standing(reviewer, plan.study) | {"disputed": open_to(reviewer, plan).count()}
        for plan in plans.order_by("study__title")
    ]
    return admin.page(request, START, title=_("Review"), desks=desks, opts=None, model_admin=None)


def put_off(admin: ModelAdmin, request: HttpRequest, study_pk: int) -> HttpResponse:
    """What this person left for later, oldest first.

    Security: as `start`.
    """
    reviewer = reviewer_of(request)
    study = study_to_review(reviewer, study_pk)
    turns = queue.put_off_turns(reviewer=reviewer, study=study)
    rows = [
        (address_of(turn), title_of(turn.contribution), moment(turn.deferred_at)) for turn in turns
    ]
    return admin.page(
        request, PUT_OFF, title=_("For later"), study=study, rows=rows, opts=None, model_admin=None
    )
