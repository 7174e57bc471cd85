"""What experts, and those who look after the review, can do in the admin."""

from typing import Any

from django.urls import reverse

from annotation.models import ReviewPlan, Turn
from annotation.review.adjudication import key_of, open_to
from studies.models import Contribution, ResponseState
from tests.everywhere.states import Request
from tests.everywhere.world import World

Case = tuple[Request, str]
ONLY_SHOW = {
    *("annotation_review", "annotation_review_next", "annotation_review_upcoming"),
    *("annotation_review_put_off", "annotation_review_disputed"),
}
REFUSE_ON_THE_FORM = {"annotation_review_turn"}


def post(name: str, /, *args: Any, **data: Any) -> Request:
    return Request(reverse(f"admin:{name}", args=args), "POST", data)


def own_pages(world: World) -> dict[str, Case]:
    plan = ReviewPlan.objects.get(study=world.study)
    to_do, done = turn_of(world, done=False), turn_of(world, done=True)
    single = Contribution.objects.exclude(turns__reviewer=world.staff)[0]
    key = disputed_key(world)
    return {
        "annotation_review_turn": (
            post("annotation_review_turn", to_do.pk, grade="good"),
            str(to_do.pk),
        ),
        "annotation_review_later": (post("annotation_review_later", to_do.pk), str(to_do.pk)),
        "annotation_review_undo": (post("annotation_review_undo", done.pk), str(done.pk)),
        "annotation_review_one": (post("annotation_review_one", single.pk), str(single.pk)),
        "annotation_review_adjudicate": (
            post("annotation_review_adjudicate", plan.study_id, key, grade="good"),
            key,
        ),
        "annotation_reviewplan_top_up": (
            post("annotation_reviewplan_top_up", plan.pk),
            str(plan.pk),
        ),
        "annotation_reviewplan_draw_pool": (
            post("annotation_reviewplan_draw_pool", plan.pk, size=1),
            str(plan),
        ),
    }


def refused_buttons(world: World) -> dict[str, Case]:
    plan = ReviewPlan.objects.get(study=world.study)
    to_do, done = turn_of(world, done=False), turn_of(world, done=True)
    gone = Contribution.objects.exclude(response__state=ResponseState.CONFIRMED)[0]
    return {
        "annotation_review_later": (post("annotation_review_later", done.pk), "already"),
        "annotation_review_undo": (post("annotation_review_undo", to_do.pk), "no verdict"),
        "annotation_review_one": (post("annotation_review_one", gone.pk), "not confirmed"),
        "annotation_review_adjudicate": (
            post("annotation_review_adjudicate", plan.study_id, "none", grade="good"),
            "settled already",
        ),
        "annotation_reviewplan_top_up": (post("annotation_reviewplan_top_up", plan.pk), "none was"),
        "annotation_reviewplan_draw_pool": (
            post("annotation_reviewplan_draw_pool", plan.pk, size=4000),
            "a verdict that stands",
        ),
    }


def turn_of(world: World, *, done: bool) -> Turn:
    return Turn.objects.filter(reviewer=world.staff, done_at__isnull=not done)[0]


def disputed_key(world: World) -> str:
    plan = ReviewPlan.objects.get(study=world.study)
    return key_of(open_to(world.staff, plan)[0].pk)
