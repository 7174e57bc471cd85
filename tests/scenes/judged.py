"""A study whose workers experts have judged: some are proficient, some are not, some are open."""

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Judgement, Pick, ReviewSource, Verdict
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from studies.models import (
    Assignment,
    AssignmentState,
    Contribution,
    Participant,
    Response,
    ResponseState,
    Round,
    Study,
)
from tests.scenes import research
from tests.studies.factories import make_participant, make_stories
from tests.studies_admin.responses import ANSWERS

TASKS = 120
# Responses of a worker, how many of the sample are rejected, how many nobody has judged yet.
WORKERS = [
    *((120, 4, 0), (118, 6, 0), (104, 9, 0), (97, 2, 0), (82, 1, 6), (76, 5, 0), (64, 9, 0)),
    *((58, 0, 3), (51, 16, 0), (43, 1, 0), (24, 3, 0), (12, 0, 4), (3, 0, 1)),
]


def judged_study(researcher: User) -> Study:
    """Made at the first scene that needs it."""
    return Study.objects.filter(slug="harbour").first() or make_judged(researcher)


def make_judged(researcher: User) -> Study:
    study = Study.objects.create(slug="harbour", title="Harbour mornings")
    make_stories(study, TASKS)
    round, _job = research.launch(study, researcher, limit=TASKS, overlap=len(WORKERS))
    reviewer = User.objects.create_user("greta")
    plan = ensure_plan(study=study)
    for responses, _rejected, _left in WORKERS:
        hand_in(round, make_participant(round), responses)
    top_up_samples(plan=plan)
    for participant, (_n, rejected, left) in zip(
        Participant.objects.filter(study=study).order_by("pk"), WORKERS, strict=True
    ):
        judge(participant, reviewer, rejected=rejected, left=left)
    return study


def hand_in(round: Round, participant: Participant, count: int) -> None:
    at = timezone.now() - timedelta(hours=3)
    assignments = Assignment.objects.bulk_create(
        Assignment(
            task=task,
            participant=participant,
            marketplace_id=secrets.token_hex(15).upper(),
            state=AssignmentState.SUBMITTED,
            accepted_at=at,
            submitted_at=at + timedelta(minutes=4),
        )
        for task in round.tasks.order_by("position")[:count]
    )
    responses = Response.objects.bulk_create(
        Response(
            assignment=assignment,
            task_type=round.task_type,
            schema_version=1,
            answers=ANSWERS,
            state=ResponseState.CONFIRMED,
            submitted_at=at + timedelta(minutes=4),
            confirmed_at=at + timedelta(minutes=5),
        )
        for assignment in assignments
    )
    Contribution.objects.bulk_create(
        Contribution(response=response, kind="state", content=ANSWERS) for response in responses
    )


def judge(participant: Participant, reviewer: User, *, rejected: int, left: int) -> None:
    picks = list(Pick.objects.filter(draw__participant=participant).order_by("pk"))
    Pick.objects.filter(pk__in=[pick.pk for pick in picks]).update(experts=1)
    Verdict.objects.bulk_create(
        Verdict(
            contribution_id=pick.contribution_id,
            reviewer=reviewer,
            source=ReviewSource.SAMPLE,
            decided_at=timezone.now(),
            **(
                {"judgement": Judgement.REJECT, "step": 2, "reason": "not_minimal"}
                if number < rejected
                else {"judgement": Judgement.CORRECT, "grade": "good"}
            ),
        )
        for number, pick in enumerate(picks[: len(picks) - left])
    )
