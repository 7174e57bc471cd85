"""Guessing passwords is slow, on both sign-in pages; signing in changes the session's key."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from marketplace.models import Invitation
from tests.marketplace_site.people import browser_of, make_signed_up

pytestmark = pytest.mark.django_db
PASSWORD = "a lantern on the pier"
ADMIN, WORKER = "/admin/login/", "/worker/sign-in/"
PER_ACCOUNT, PER_ADDRESS = 5, 10


@pytest.fixture(autouse=True)
def own_cache(settings: Settings) -> Iterator[None]:
    settings.CACHES = settings.CACHES | {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    }
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def staff() -> User:
    return User.objects.create_superuser("ines", password=PASSWORD)


def try_admin(client: Client, name: str = "ines", password: str = "a guess", **more: Any) -> Any:
    return client.post(ADMIN, {"username": name, "password": password, "next": "/admin/"}, **more)


def try_worker(client: Client, name: str, password: str = "a guess") -> Any:
    return client.post(WORKER, {"login": name, "password": password})


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_right_password_opens_the_admin(client: Client, staff: User) -> None:
    assert try_admin(client, password=PASSWORD).status_code == 302
    assert is_in(client)


def test_guessing_at_one_account_ends_from_any_address(client: Client, staff: User) -> None:
    for number in range(PER_ACCOUNT):
        try_admin(client, REMOTE_ADDR=f"192.0.2.{number}")

    response = try_admin(client, password=PASSWORD, REMOTE_ADDR="198.51.100.1")

    assert "Too many tries" in response.content.decode()
    assert not is_in(client)


def test_guessing_at_many_accounts_ends_for_that_address(client: Client, staff: User) -> None:
    for number in range(PER_ADDRESS):
        try_admin(client, name=f"somebody-{number}")

    assert "Too many tries" in try_admin(client, password=PASSWORD).content.decode()
    assert try_admin(client, password=PASSWORD, REMOTE_ADDR="198.51.100.1").status_code == 302


def test_both_sign_in_pages_share_one_count(client: Client, staff: User) -> None:
    for number in range(PER_ACCOUNT):
        try_admin(client, REMOTE_ADDR=f"192.0.2.{number}")

    try_worker(client, "ines", PASSWORD)

    assert not is_in(client)


def test_signing_in_often_is_no_guessing(client: Client, staff: User) -> None:
    for _ in range(PER_ADDRESS + 2):
        assert try_admin(client, password=PASSWORD).status_code == 302


def test_a_forwarded_address_counts_for_nothing_without_a_proxy(
    client: Client, staff: User
) -> None:
    for number in range(PER_ADDRESS):
        try_admin(client, f"somebody-{number}", headers={"x-forwarded-for": f"192.0.2.{number}"})

    response = try_admin(client, password=PASSWORD, headers={"x-forwarded-for": "192.0.2.99"})

    assert "Too many tries" in response.content.decode()


def test_behind_one_proxy_the_address_that_it_adds_counts(
    client: Client, staff: User, settings: Settings
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(PER_ADDRESS):
        forged = {"x-forwarded-for": f"192.0.2.{number}, 203.0.113.7"}
        try_admin(client, f"somebody-{number}", headers=forged)

    refused = try_admin(client, password=PASSWORD, headers={"x-forwarded-for": "203.0.113.7"})
    taken = try_admin(client, password=PASSWORD, headers={"x-forwarded-for": "203.0.113.8"})

    assert "Too many tries" in refused.content.decode()
    assert taken.status_code == 302


def test_signing_in_changes_the_key_of_the_session(client: Client, staff: User) -> None:
    make_signed_up("ada", PASSWORD)
    for sign_in, name in ((try_admin, "ines"), (try_worker, "ada")):
        session = client.session
        session["before"] = True
        session.save()
        key = session.session_key

        sign_in(client, name, PASSWORD)

        assert is_in(client)
        assert client.session.session_key != key
        client.logout()


@pytest.fixture
def counters_away(settings: Settings) -> Iterator[None]:
    """A Valkey that takes connections and says nothing."""
    given = settings.REDIS_PATIENCE
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(16)
        settings.CACHES = settings.CACHES | {
            "default": {
                "BACKEND": "django.core.cache.backends.redis.RedisCache",
                "LOCATION": f"redis://127.0.0.1:{silent.getsockname()[1]}/0",
                "OPTIONS": given,
            }
        }
        yield
        settings.CACHES = settings.CACHES | {
            "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
        }


@pytest.mark.usefixtures("counters_away")
def test_without_the_counters_nobody_signs_in_and_is_told_so_within_seconds(
    client: Client, staff: User
) -> None:
    make_signed_up("ada", PASSWORD)
    began = time.monotonic()

    admin = try_admin(client, password=PASSWORD)
    worker = try_worker(client, "ada", PASSWORD)

    assert time.monotonic() - began < 2 * 8
    assert "does not work for the moment" in admin.content.decode()
    assert worker.status_code == 503
    assert "does not work for the moment" in worker.content.decode()
    assert not is_in(client)


@pytest.mark.usefixtures("counters_away")
def test_without_the_counters_who_is_in_stays_in(client: Client, staff: User) -> None:
    client.force_login(staff)

    assert client.get("/admin/").status_code == 200


@pytest.mark.usefixtures("counters_away")
def test_without_the_counters_nobody_joins_and_is_told_so_within_seconds(
    client: Client, settings: Settings
) -> None:
    settings.MARKETPLACE_OPEN_SIGN_UP = True
    client.raise_request_exception = False
    invitation = Invitation.objects.create(label="for readers")
    signing_up = {"username": "new", "password1": PASSWORD, "password2": PASSWORD}
    began = time.monotonic()

    answers = [
        client.post("/worker/sign-up/", signing_up),
        client.post(f"/worker/join/{invitation.token}/", {"attempt": "0" * 32}),
    ]

    assert time.monotonic() - began < 2 * 8
    for answer in answers:
        assert answer.status_code == 503
        assert answer["Retry-After"]
        assert "cannot be done right now" in answer.content.decode()
    assert not User.objects.exists()
    assert Invitation.objects.get().uses == 0
    assert not is_in(client)


@pytest.mark.usefixtures("counters_away")
def test_without_the_counters_passwords_can_be_changed(client: Client, staff: User) -> None:
    worker = make_signed_up("ada", PASSWORD)
    new = "a lantern on the quay"
    began = time.monotonic()

    browser_of(worker).post(
        "/worker/account/password/",
        {
            "username": "ada",
            "current_password": PASSWORD,
            "password": new,
            "password_again": new,
        },
    )
    client.force_login(staff)
    client.post(
        "/admin/password_change/",
        {"old_password": PASSWORD, "new_password1": new, "new_password2": new},
    )

    assert time.monotonic() - began < 8
    assert all(user.check_password(new) for user in User.objects.all())
    assert is_in(client)
