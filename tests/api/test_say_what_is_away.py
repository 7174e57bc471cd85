"""While the database is away the API says so, as it says everything, and works again afterwards."""

from typing import Any

import psycopg2
import pytest
from django.contrib.auth.models import User
from django.core.signals import request_started
from django.db import close_old_connections, connection
from django.test import Client

from config.tokens import make_token
from tests.api.conftest import API

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client() -> Client:
    user = User.objects.create_superuser("ada")
    _token, secret = make_token(user=user, label="test")
    return Client(headers={"Authorization": f"Bearer {secret}"}, raise_request_exception=False)


def is_told(answer: Any) -> bool:
    return (
        answer.status_code == 503
        and answer["Content-Type"] == "application/problem+json"
        and answer["Retry-After"].isdecimal()
        and "Try again" in answer.json()["detail"]
    )


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_database_that_cannot_be_reached(
    client: Client, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.close()
    with monkeypatch.context() as patched:
        patched.setitem(connection.settings_dict, "HOST", "/nowhere")
        assert is_told(getattr(client, method)(f"{API}/studies/"))
    assert getattr(client, method)(f"{API}/studies/").status_code in {200, 415}


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_database_that_goes_away_and_comes_back(client: Client, method: str) -> None:
    hang_up()
    assert is_told(getattr(client, method)(f"{API}/studies/"))

    # Test clients keep Django from doing this at the start of a request.
    request_started.connect(close_old_connections)
    try:
        request_started.send(object)
    finally:
        request_started.disconnect(close_old_connections)
    assert getattr(client, method)(f"{API}/studies/").status_code in {200, 415}


def test_what_nobody_foresaw(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr("studies.api.studies.visible_studies", broken)
    answer = client.get(f"{API}/studies/")

    assert (answer.status_code, answer["Content-Type"]) == (500, "application/problem+json")
    assert "secret" not in answer.content.decode()


def hang_up() -> None:
    """Have the server close the connection of this test."""
    connection.ensure_connection()
    given = connection.connection
    with psycopg2.connect(given.dsn, password=connection.settings_dict["PASSWORD"]) as other:
        other.cursor().execute("SELECT pg_terminate_backend(%s, 5000)", [given.info.backend_pid])
    other.close()
