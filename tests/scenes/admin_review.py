"""The expert's pages, and the plan that a researcher looks after."""

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from operator import ne
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Judgement, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.review import deciding, queue
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from studies.models import Contribution, Membership, Response, ResponseState, Study
from tests.annotation.review_pages.desk import make_contribution, make_reviewer
from tests.scenes.research import CAUTIONS, EVIDENCE
from tests.scenes.scene import Scene, Visit, admin

CORRECT: dict[str, Any] = {"judgement": Judgement.CORRECT, "grade": "good"}
REJECTED: dict[str, Any] = {"judgement": Judgement.REJECT, "step": 4, "reason": "changes_too_much"}


@dataclass
class Desk:
    plan: ReviewPlan
    expert: User
    # Has judged nothing, and so can settle what others differ on.
    third: User


def desk_of(visit: Visit) -> Desk:
    """Made at the first scene that needs it: a sample that two experts are in the middle of."""
    study = visit.world.moods.study
    with visit.world.stack.django():
        if not ReviewPlan.objects.filter(study=study).exists():
            _fill(study, visit)
        return Desk(
            plan=ReviewPlan.objects.select_related("study").get(study=study),
            expert=User.objects.get(username="rhea"),
            third=User.objects.get(username="wilma"),
        )


def _fill(study: Study, visit: Visit) -> None:
    for response in Response.objects.filter(
        assignment__task__round=visit.world.moods.open, state=ResponseState.CONFIRMED
    ):
        make_contribution(response)
    plan = ensure_plan(study=study)
    plan.double_share = Decimal("0.8")
    plan.save()
    top_up_samples(plan=plan)
    experts = [make_reviewer(study, name) for name in ("rhea", "otto", "wilma")]
    for expert in experts[:2]:
        for place in range(7):
            turn = queue.next_turn(reviewer=expert, study=study)
            assert turn is not None
            if place == 6 and expert is experts[0]:
                queue.put_off(turn=turn)
            else:
                verdict = REJECTED if turn.contribution_id % 3 == expert.pk % 3 else CORRECT
                deciding.record_verdict(turn=turn, seconds=9.0, **verdict)
    _differ(plan, experts)


def _differ(plan: ReviewPlan, experts: list[User]) -> None:
    """On one response these two say different things, whatever they were given so far."""
    both = Contribution.objects.filter(pick__draw__plan=plan, pick__experts=2).order_by("pk")
    disputed = both.exclude(verdicts__isnull=False).first() or both[0]
    Verdict.objects.filter(contribution=disputed).update(replaced_at=timezone.now())
    for expert, verdict in zip(experts, (CORRECT, REJECTED), strict=False):
        turn, _ = Turn.objects.update_or_create(
            contribution=disputed,
            reviewer=expert,
            defaults={"source": ReviewSource.SAMPLE, "given_at": timezone.now()},
        )
        deciding.record_verdict(turn=turn, **verdict)


def open_as(visit: Visit, user: User, path: str) -> None:
    visit.sign_in(user)
    visit.page.goto(f"{visit.ground.stack.task_site_url}/admin/annotation/{path}")


def start(visit: Visit) -> None:
    open_as(visit, desk_of(visit).expert, "turn/")


def start_empty(visit: Visit) -> None:
    with visit.world.stack.django():
        user = User.objects.filter(username="nobodys").first()
        if user is None:
            user = make_reviewer(visit.world.empty, "nobodys")
            Membership.objects.filter(user=user).delete()
    open_as(visit, user, "turn/")


def review(visit: Visit, *, keys: str = "") -> None:
    desk = desk_of(visit)
    with visit.world.stack.django():
        turn = queue.next_turn(reviewer=desk.expert, study=desk.plan.study)
        assert turn is not None
        response = Response.objects.filter(pk=turn.contribution.response_id)
        response.update(evidence=EVIDENCE, cautions=CAUTIONS)
    open_as(visit, desk.expert, f"turn/study/{desk.plan.study_id}/next/")
    for key in keys.split():
        visit.page.keyboard.press(key)
    if keys.endswith("Enter"):
        visit.page.locator(".review-error").wait_for()


def of_study(visit: Visit, *, page: str) -> None:
    desk = desk_of(visit)
    open_as(visit, desk.expert, f"turn/study/{desk.plan.study_id}/{page}/")


def done(visit: Visit) -> None:
    """Of a study that has nothing to review yet."""
    with visit.world.stack.django():
        found = User.objects.filter(username="early").first()
        user = found or make_reviewer(visit.world.empty, "early")
    open_as(visit, user, f"turn/study/{visit.world.empty.pk}/next/")


def gone(visit: Visit) -> None:
    open_as(visit, desk_of(visit).expert, "turn/99999999/")


def disputed(visit: Visit) -> None:
    desk = desk_of(visit)
    open_as(visit, desk.third, f"turn/study/{desk.plan.study_id}/disputed/")


def settled(visit: Visit, *, again: bool = False) -> None:
    """All of them, by one person."""
    disputed(visit)
    while visit.page.locator("[name=grade]").count():
        before = visit.page.url
        visit.page.keyboard.press("a")
        visit.page.wait_for_url(partial(ne, before))
    visit.page.get_by_role("heading", name="What you settled").wait_for()
    if again:
        visit.page.locator(".review-settled a").first.click()
        visit.page.get_by_text("You judged this one").wait_for()


def plan(visit: Visit) -> None:
    visit.open_admin(f"annotation/reviewplan/{desk_of(visit).plan.pk}/change/")


def plans(visit: Visit) -> None:
    desk_of(visit)
    visit.open_admin("annotation/reviewplan/")


SCENES = [
    admin("admin-review-plans-empty", "annotation/reviewplan/", bare=True),
    Scene("admin-review-start", start),
    Scene("admin-review-start-empty", start_empty),
    Scene("admin-review-page", review),
    Scene("admin-review-reasons", partial(review, keys="4")),
    Scene("admin-review-refused", partial(review, keys="4 0 Enter")),
    Scene("admin-review-guide", partial(review, keys="?")),
    Scene("admin-review-put-off", partial(of_study, page="later")),
    Scene("admin-review-done", done),
    Scene("admin-review-gone", gone),
    Scene("admin-review-disputed", disputed),
    Scene("admin-review-nothing-disputed", partial(of_study, page="disputed")),
    Scene("admin-review-plans", plans),
    Scene("admin-review-plan", plan),
    admin("admin-review-plan-new", "annotation/reviewplan/add/"),
    Scene("admin-review-settled", settled),
    Scene("admin-review-settled-again", partial(settled, again=True)),
]
