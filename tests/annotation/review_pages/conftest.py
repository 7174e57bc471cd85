import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import ReviewPlan
from tests.annotation.review_pages.desk import make_desk, make_reviewer


@pytest.fixture
def plan(db: None) -> ReviewPlan:
    return make_desk()


@pytest.fixture
def reviewer(plan: ReviewPlan) -> User:
    return make_reviewer(plan.study, "ottilie")


@pytest.fixture
def client(reviewer: User) -> Client:
    """Signed in as the reviewer."""
    return signed_in(reviewer)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
