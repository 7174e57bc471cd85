import pytest
from django.core.checks import run_checks
from pytest_django import Settings

OWN_KEY = "k3y-" * 20


def found(*, deploy: bool = False) -> set[str]:
    """The ids of our own messages."""
    messages = run_checks(include_deployment_checks=deploy)
    return {str(message.id) for message in messages if str(message.id).startswith("fabula.")}


@pytest.fixture(autouse=True)
def production(settings: Settings) -> None:
    settings.DEBUG = False
    settings.HTTPS = True
    settings.SECRET_KEY = OWN_KEY
    settings.TASK_SITE_URL = "https://tasks.example.org"
    settings.WORKER_SITE_URL = "https://work.example.org"


def test_a_well_set_up_site_is_left_alone() -> None:
    assert found(deploy=True) == set()


def test_a_public_site_with_the_development_key_is_an_error(settings: Settings) -> None:
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY

    assert found() == {"fabula.E001"}


def test_the_key_of_the_example_is_an_error(settings: Settings) -> None:
    settings.SECRET_KEY = "change-me-to-50-random-characters"

    assert found() == {"fabula.E001"}


def test_without_https_the_development_key_is_an_error_of_a_deployment_only(
    settings: Settings,
) -> None:
    settings.HTTPS = False
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY

    assert found() == set()
    assert found(deploy=True) == {"fabula.E001"}


def test_debugging_with_the_development_key_is_fine(settings: Settings) -> None:
    settings.DEBUG = True
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY

    assert found(deploy=True) == set()


def test_an_http_address_on_an_https_site_is_an_error(settings: Settings) -> None:
    settings.TASK_SITE_URL = "http://tasks.example.org"

    assert found() == {"fabula.E002"}


@pytest.mark.parametrize(
    "name", ["MTURK_ACCESS_KEY_ID", "MTURK_SECRET_ACCESS_KEY", "MTURK_SIGNING_SECRET"]
)
def test_a_missing_marketplace_key_is_a_warning_that_names_it(
    settings: Settings, name: str
) -> None:
    setattr(settings, name, "")

    messages = [m for m in run_checks(include_deployment_checks=True) if m.id == "fabula.W001"]

    assert [name in message.msg for message in messages] == [True]
    assert found() == set()
