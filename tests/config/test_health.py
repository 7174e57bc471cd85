import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

pytestmark = pytest.mark.django_db
FOREIGN_HOST = "10.1.2.3:8000"


@pytest.fixture(autouse=True)
def production(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["work.example.org"]
    settings.SECURE_SSL_REDIRECT = True


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_without_a_known_host_or_https_is_answered(client: Client, path: str) -> None:
    response = client.get(path, headers={"host": FOREIGN_HOST})

    assert response.status_code == 200
    assert response.json() == {"status": "ok"}
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


def test_other_pages_still_want_a_known_host(client: Client) -> None:
    response = client.get("/worker/", headers={"host": FOREIGN_HOST}, secure=True)

    assert response.status_code == 400


def test_being_alive_asks_nobody(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").status_code == 200


def test_being_ready_is_cheap(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/readyz")
    with django_assert_max_num_queries(3):
        assert client.get("/readyz").status_code == 200


def test_a_missing_migration_is_named(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("studies", "0001_initial")

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "missing": ["migrations"]}
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("app", "missing"),
    [("studies", ["version"]), ("account", []), ("an_app_of_before", [])],
)
def test_old_code_on_the_database_of_a_newer_version_is_named(
    client: Client, app: str, missing: list[str]
) -> None:
    """An old process that an upgrade left running, or a release that was taken back."""
    MigrationRecorder(connection).record_applied(app, "0999_newer")

    response = client.get("/readyz")

    assert response.json().get("missing", []) == missing
    assert response.status_code == (503 if missing else 200)


def test_a_missing_broker_is_named_without_its_password(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://:pa55word@127.0.0.1:1/0"

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["missing"] == ["broker"]
    assert b"pa55" not in response.content


def test_a_missing_database_is_named_without_its_name(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = connection.copy()
    away.settings_dict |= {"HOST": "127.0.0.1", "PORT": "1"}
    monkeypatch.setattr("config.health.connection", away)

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "missing": ["database"]}


def test_only_looking_is_allowed(client: Client) -> None:
    assert client.post("/readyz").status_code == 405
    assert client.head("/healthz").status_code == 200
