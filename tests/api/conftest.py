from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from annotation.models import Release
from annotation.releases.building import build_release
from annotation.releases.rule import ReleaseRule
from annotation.review import queue
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from config.tokens import make_token
from studies.models import Contribution, ContributionStatus, Job, Round, Study, StudyRole
from studies.services.response_layout import OWN
from tests.annotation.review.factories import make_contribution
from tests.studies.factories import make_round, make_stories, make_study
from tests.studies.members import make_member

API = "/api/v1"
STAFF = ("superuser", "researcher", "reviewer")


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@dataclass(frozen=True)
class Site:
    study: Study
    round: Round
    people: dict[str, User | None]

    def headers(self, role: str) -> dict[str, str]:
        """With this person's token."""
        user = self.people[role]
        if user is None:
            return {}
        _token, secret = make_token(user=user, label="test")
        return {"Authorization": f"Bearer {secret}"}

    def client(self, role: str) -> Client:
        return Client(headers=self.headers(role))

    def user(self, role: str) -> User:
        user = self.people[role]
        assert user is not None
        return user

    def turn_of(self, role: str) -> int:
        """What lies before this person; 1 where they are nobody to judge."""
        if role not in STAFF:
            return 1
        turn = queue.next_turn(reviewer=self.user(role), study=self.study)
        assert turn is not None
        return turn.pk


@pytest.fixture
def site(db: None) -> Site:
    """A study at work, and one person for each role, of which the stranger works on another."""
    study = make_study(slug="evenings", title="Quiet evenings")
    make_stories(study, 3)
    round = make_round(study, overlap=2)
    for _ in range(3):
        make_contribution(round)
    Job.objects.create(kind="publish_round", study=study)
    people: dict[str, User | None] = {
        "superuser": User.objects.create_superuser("ada"),
        "researcher": make_member(study, name="lea"),
        "reviewer": make_member(study, role=StudyRole.REVIEWER, name="kim"),
        "stranger": make_member(make_study(), name="omar"),
        "worker": User.objects.create_user("a-worker"),
        "nobody": None,
    }
    return Site(study, round, people)


@pytest.fixture
def reviewed(site: Site) -> Site:
    """With a sample of every response, for two experts each."""
    plan = ensure_plan(study=site.study)
    plan.double_share = 1
    plan.save()
    top_up_samples(plan=plan)
    return site


@pytest.fixture
def released(reviewed: Site) -> Iterator[Release]:
    Contribution.objects.update(status=ContributionStatus.ACCEPTED)
    yield build_release(study=reviewed.study, name="v1", seed=1, rule=ReleaseRule(layout=OWN))
