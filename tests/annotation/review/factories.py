"""Contributions, experts and their verdicts."""

import itertools
from typing import Any

from django.contrib.auth.models import Permission, User
from django.utils import timezone

from annotation.models import Judgement, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.review.deciding import record_verdict
from annotation.review.plans import ensure_plan
from studies.models import Contribution, Membership, Participant, Round, Study, StudyRole
from tests.studies.factories import make_participant, make_round, make_stories, make_study
from tests.studies_admin.responses import ANSWERS, make_response, make_responses

_numbers = itertools.count(1)


def make_reviewer(study: Study) -> User:
    """Staff who may judge, and nothing else."""
    user = User.objects.create_user(f"expert-{next(_numbers)}", is_staff=True)
    user.user_permissions.add(
        Permission.objects.get(content_type__app_label="annotation", codename="add_verdict")
    )
    Membership.objects.create(study=study, user=user, role=StudyRole.REVIEWER)
    return user


def make_contribution(
    round: Round, *, participant: Participant | None = None, **fields: Any
) -> Contribution:
    """Of a confirmed response, on a task that the worker has not had."""
    response = make_response(round, participant=participant, **fields)
    return Contribution.objects.create(response=response, kind="state_annotation", content=ANSWERS)


def make_reviewed_round(
    *, workers: int = 1, each: int = 10, **plan_fields: Any
) -> tuple[ReviewPlan, list[Participant]]:
    """A round in which each worker has done so many tasks, and the plan of its review."""
    study = make_study()
    make_stories(study, each)
    round = make_round(study, overlap=workers)
    participants = [make_participant(round) for _ in range(workers)]
    Contribution.objects.bulk_create(
        Contribution(response=response, kind="state_annotation", content=ANSWERS)
        for participant in participants
        for response in make_responses(round, participant=participant, count=each)
    )
    plan = ensure_plan(study=study)
    for name, value in plan_fields.items():
        setattr(plan, name, value)
    plan.save()
    return plan, participants


def make_turn(
    contribution: Contribution, reviewer: User, source: ReviewSource = ReviewSource.SAMPLE
) -> Turn:
    return Turn.objects.create(
        contribution=contribution, reviewer=reviewer, source=source, given_at=timezone.now()
    )


CORRECT: dict[str, Any] = {"judgement": Judgement.CORRECT, "grade": "correct"}
WRONG: dict[str, Any] = {"judgement": Judgement.REJECT, "step": 1, "reason": "action"}


def judge(turn: Turn, *, correct: bool = True) -> Verdict:
    return record_verdict(turn=turn, **(CORRECT if correct else WRONG))
