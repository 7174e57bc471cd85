"""The admin's sign-in does not let anybody guess for ever."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db
ADDRESS = "/admin/login/?next=/admin/"
PASSWORD = "a long enough secret"


@pytest.fixture(autouse=True)
def own_cache(settings: Settings) -> Iterator[None]:
    """Counts of sign-in attempts that no other test shares."""
    settings.CACHES = settings.CACHES | {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    }
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def researcher() -> User:
    return User.objects.create_superuser("grace", password=PASSWORD)


def sign_in(client: Client, password: str) -> int:
    given = {"username": "grace", "password": password}
    return client.post(ADDRESS, given).status_code


def test_the_right_password_opens_the_admin(client: Client, researcher: User) -> None:
    assert sign_in(client, "a guess") == 200
    assert "_auth_user_id" not in client.session

    assert sign_in(client, PASSWORD) == 302
    assert client.session["_auth_user_id"] == str(researcher.pk)


def test_a_wrong_password_is_said_once_and_in_plain_words(client: Client, researcher: User) -> None:
    page = client.post(ADDRESS, {"username": "grace", "password": "a guess"}).content.decode()

    assert page.count("do not go together") == 1
    assert "correct the error" not in page


def test_after_too_many_guesses_the_right_password_has_to_wait(
    client: Client, researcher: User
) -> None:
    for _ in range(6):
        sign_in(client, "a guess")

    answer = client.post(ADDRESS, {"username": "grace", "password": PASSWORD})

    assert "Too many tries" in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_who_is_not_staff_stays_outside(client: Client) -> None:
    User.objects.create_user("grace", password=PASSWORD)

    assert sign_in(client, PASSWORD) == 200
    assert "_auth_user_id" not in client.session
