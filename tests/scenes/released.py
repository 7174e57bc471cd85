"""A study with a release, reviewed responses and a worker who may want to leave."""

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Judgement, Release, ReviewSource, Verdict
from annotation.releases.building import build_release
from annotation.releases.rule import ReleaseRule, TestFrom
from annotation.review.plans import ensure_plan
from studies.models import Contribution, ContributionStatus, Participant, Response, Study
from tests.annotation.releases.world import bring, contribute, past_rows
from tests.studies.factories import make_participant, make_round, make_stories

STORIES = 120
REVIEWED = 45


def released_study(researcher: User) -> Study:
    """Made at the first scene that needs it."""
    return Study.objects.filter(slug="lanterns").first() or _make(researcher)


def _make(researcher: User) -> Study:
    study = Study.objects.create(slug="lanterns", title="Lanterns on the pier")
    bring(study, past_rows(STORIES))
    make_stories(study, 6)
    round = make_round(study, overlap=2)
    leaving = make_participant(round)
    for _ in range(5):
        contribute(round, participant=leaving)
    ensure_plan(study=study)
    expert = User.objects.create_user("nadia")
    rows = Contribution.objects.filter(response__assignment__task__round__study=study)
    Verdict.objects.bulk_create(
        Verdict(
            contribution=row,
            reviewer=expert,
            source=ReviewSource.SINGLE,
            judgement=Judgement.CORRECT,
            grade="good",
            decided_at=timezone.now(),
        )
        for row in rows.order_by("pk")[: 3 * REVIEWED : 3]
    )
    build_release(
        study=study,
        name="v1",
        seed=7,
        rule=ReleaseRule(test_from=TestFrom.REVIEWED),
        user=researcher,
    )
    return study


def leaving_worker(study: Study) -> Participant:
    return Participant.objects.get(study=study)


def withdrawn_response(study: Study) -> Response:
    """The worker's last one, taken back."""
    given = Response.objects.filter(assignment__participant=leaving_worker(study)).latest("pk")
    given.contributions.update(status=ContributionStatus.WITHDRAWN)
    return given


def newest_release(study: Study) -> Release:
    return Release.objects.filter(study=study).latest("pk")
