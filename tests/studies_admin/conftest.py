from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from studies.models import Job, Membership, Round, Study, StudyRole
from tests.studies.factories import make_round, make_stories, make_study

StaffClient = Callable[..., Client]


@pytest.fixture
def admin_user(db: None) -> User:
    return User.objects.create_superuser("ada", "", "a-long-password")


@pytest.fixture
def client(admin_user: User) -> Client:
    """Signed in as a superuser."""
    client = Client()
    client.force_login(admin_user)
    return client


@pytest.fixture
def staff_client(db: None) -> StaffClient:
    """Signed in as staff who have just these permissions, e.g. "studies.view_round", and are
    researchers of every study there is so far."""

    def make(*permissions: str, staff: bool = True) -> Client:
        user = User.objects.create_user(f"staff-{User.objects.count()}", is_staff=staff)
        for name in permissions:
            app, _, codename = name.partition(".")
            user.user_permissions.add(
                Permission.objects.get(content_type__app_label=app, codename=codename)
            )
        for study in Study.objects.all():
            Membership.objects.create(study=study, user=user, role=StudyRole.RESEARCHER)
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that would have been sent to a worker; none is run here."""
    seen: list[Job] = []
    monkeypatch.setattr("studies.tasks.wake", seen.append)
    return seen


@pytest.fixture
def study(db: None) -> Study:
    study = make_study(slug="moods", title="Moods")
    make_stories(study, 4)
    return study


@pytest.fixture
def round(study: Study) -> Round:
    return make_round(study, overlap=2)
