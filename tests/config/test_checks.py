import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from config.embedded.layout import BASE_DIR

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
    settings.ALLOWED_HOSTS = ["tasks.example.org", "work.example.org"]
    settings.MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS = []


def test_a_well_set_up_site_is_left_alone() -> None:
    assert found(deploy=True) == set()


def test_a_public_site_with_the_development_key_is_an_error(settings: Settings) -> None:
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY

    assert found() == {"fabula.E001"}


@pytest.mark.parametrize("key", ["change-me-to-50-random-characters", "fabula", "7" * 19])
def test_the_key_of_the_example_or_a_short_one_is_an_error(settings: Settings, key: str) -> None:
    settings.SECRET_KEY = key

    assert found() == {"fabula.E001"}


def test_without_https_the_development_key_is_an_error_of_a_deployment_only(
    settings: Settings,
) -> None:
    settings.HTTPS = False
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY

    assert found() == set()
    assert found(deploy=True) == {"fabula.E001"}


def test_debugging_with_the_development_key_is_fine(settings: Settings) -> None:
    settings.HTTPS = False
    settings.DEBUG = True
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY

    assert found(deploy=True) == set()


@pytest.mark.parametrize("known", ["change-me-to-50-random-characters", None])
def test_a_known_key_among_the_former_ones_is_an_error(
    settings: Settings, known: str | None
) -> None:
    settings.SECRET_KEY_FALLBACKS = ["f0rm3r-" * 10]
    assert found(deploy=True) == set()

    settings.SECRET_KEY_FALLBACKS += [known or settings.DEVELOPMENT_SECRET_KEY]

    assert found() == {"fabula.E006"}
    settings.HTTPS = False
    assert found(deploy=True) >= {"fabula.E006"}


def test_debugging_on_a_public_site_is_an_error_and_excuses_no_key(settings: Settings) -> None:
    settings.DEBUG = True

    assert found(deploy=True) == {"fabula.E004"}
    settings.SECRET_KEY = settings.DEVELOPMENT_SECRET_KEY
    assert found(deploy=True) == {"fabula.E001", "fabula.E004"}


@pytest.mark.parametrize(
    ("hosts", "is_fine"),
    [
        (["tasks.example.org", "WORK.example.org"], True),
        ([".example.org"], True),
        (["*"], True),
        (["localhost", "127.0.0.1", "[::1]"], False),
        (["tasks.example.org"], False),
        (["https://tasks.example.org", "https://work.example.org"], False),
    ],
)
def test_a_site_whose_name_is_not_allowed_is_an_error(
    settings: Settings, hosts: list[str], is_fine: bool
) -> None:
    settings.ALLOWED_HOSTS = hosts

    assert found(deploy=True) == (set() if is_fine else {"fabula.E005"})


def test_an_address_with_a_port_or_of_ipv6_may_be_a_sites(settings: Settings) -> None:
    settings.HTTPS = False
    settings.TASK_SITE_URL = "http://[::1]:8000"
    settings.WORKER_SITE_URL = "http://localhost:8000"
    settings.ALLOWED_HOSTS = ["localhost", "[::1]"]

    assert found(deploy=True) == set()


def test_an_address_without_its_scheme_is_an_error(settings: Settings) -> None:
    settings.HTTPS = False
    settings.TASK_SITE_URL = "tasks.example.org"

    assert found(deploy=True) == {"fabula.E005"}


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


@pytest.mark.parametrize("token", ["short", "change-me-to-something-long-enough"])
def test_a_token_for_the_figures_that_can_be_guessed_is_an_error(
    settings: Settings, token: str
) -> None:
    settings.METRICS_TOKEN = token

    assert found() == set()
    assert found(deploy=True) == {"fabula.E003"}


@pytest.mark.parametrize("token", ["", "k3y-" * 5])
def test_no_token_and_a_long_one_are_fine(settings: Settings, token: str) -> None:
    settings.METRICS_TOKEN = token

    assert found(deploy=True) == set()


def test_a_public_site_that_may_be_told_to_post_to_itself_is_a_warning(settings: Settings) -> None:
    settings.MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS = ["tasks.internal", "127.0.0.1"]

    assert found(deploy=True) == {"fabula.W002"}
    settings.HTTPS = False
    assert found(deploy=True) == set()


def test_a_folder_that_cannot_be_written_to_is_named(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "not" / "there" / "yet"
    assert found(deploy=True) == set()

    (tmp_path / "file").touch()
    settings.RUNS_DIR = tmp_path / "file" / "runs"

    assert found(deploy=True) == {"fabula.E008"}


LISTED = "from django.conf import settings as s; print(s.ALLOWED_HOSTS, s.RUN_QUEUES)"


def test_names_of_a_list_may_stand_apart() -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "FABULA_ALLOWED_HOSTS": "tasks.example.org, work.example.org",
        "FABULA_RUN_QUEUES": " gpu , cpu",
    }
    done = subprocess.run(
        [sys.executable, "-c", LISTED],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
    )

    listed = "['tasks.example.org', 'work.example.org'] ['gpu', 'cpu']"
    assert done.stdout.strip() == listed, done.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [("True", "True"), ("on", "True"), ("False", "False"), ("", "False"), ("Ture", "")],
)
def test_a_switch_is_on_or_off(given: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from django.conf import settings as s; print(s.HTTPS)"],
        cwd=BASE_DIR,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "FABULA_HTTPS": given},
        capture_output=True,
        text=True,
    )

    assert done.stdout.strip() == said, done.stderr
    assert bool(said) or "FABULA_HTTPS is “ture”; it can be True or False." in done.stderr


HOSTS = "from django.conf import settings as s; print(s.MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS)"


@pytest.mark.parametrize(
    ("task_site", "hosts"),
    [
        ("http://127.0.0.1:8000", ["localhost", "127.0.0.1", "::1"]),
        ("http://[::1]:8000", ["localhost", "127.0.0.1", "::1"]),
        ("https://tasks.example.org", []),
        ("https://127.0.0.1.example.org", []),
    ],
)
def test_notifications_reach_this_machine_only_while_tasks_live_on_it(
    task_site: str, hosts: list[str]
) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "FABULA_TASK_SITE_URL": task_site,
    }
    done = subprocess.run(
        [sys.executable, "-c", HOSTS], cwd=BASE_DIR, env=environment, capture_output=True, text=True
    )

    assert done.stdout.strip() == str(hosts), done.stderr
