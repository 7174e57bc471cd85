"""Responses to review, and experts to review them."""

from decimal import Decimal

from django.contrib.auth.models import Permission, User

from annotation.models import ReviewPlan
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from studies.models import Contribution, Membership, Response, Study, StudyRole
from tests.scenes.research import CAUTIONS, EVIDENCE
from tests.studies.factories import (
    SENTENCES,
    make_participant,
    make_round,
    make_stories,
    make_study,
)
from tests.studies_admin.responses import make_response

REVISED = "A car raced into the yard."


def make_reviewer(study: Study, name: str, role: StudyRole = StudyRole.REVIEWER) -> User:
    """Staff who may judge, and nothing else."""
    user = User.objects.create_user(name, password="a lantern", is_staff=True)
    user.user_permissions.add(
        Permission.objects.get(content_type__app_label="annotation", codename="add_verdict")
    )
    Membership.objects.create(study=study, user=user, role=role)
    return user


def answers_of(number: int) -> dict[str, object]:
    """Answers that can be told apart by their number."""
    return {
        "assertion": f"The visitor is calm {number}.",
        "justification": [2, 4],
        "changed_assertion": f"The visitor is in a hurry {number}.",
        "revision": [*SENTENCES[:3], REVISED, SENTENCES[4]],
    }


def make_contribution(response: Response) -> Contribution:
    return Contribution.objects.create(
        response=response, kind=response.task_type, content=response.answers
    )


def make_desk(*, workers: int = 1, each: int = 4, experts: int = 1) -> ReviewPlan:
    """A study whose every response is in the sample: `each` of every worker."""
    study = make_study(title="Quiet evenings")
    make_stories(study, each)
    round = make_round(study, overlap=workers)
    for worker in range(workers):
        participant = make_participant(round)
        for number in range(each):
            make_contribution(
                make_response(
                    round,
                    participant=participant,
                    answers=answers_of(worker * each + number),
                    cautions=CAUTIONS,
                    evidence=EVIDENCE,
                )
            )
    return draw_all(study, experts=experts)


def draw_all(study: Study, *, experts: int = 1) -> ReviewPlan:
    plan = ensure_plan(study=study)
    plan.sample_share = plan.slower_share = Decimal(1)
    plan.double_share = Decimal(experts - 1)
    plan.save()
    top_up_samples(plan=plan)
    return plan
