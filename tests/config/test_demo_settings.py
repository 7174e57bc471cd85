"""A command run beside the demo works on the demo: same keys, same addresses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.demo.environment import adopt_demo_settings, demo_environment
from config.embedded.layout import BASE_DIR
from tests.config.users import environment

SHOW = (
    "from django.conf import settings as s; "
    "print(s.SECRET_KEY, s.MTURK_ACCESS_KEY_ID, s.TASK_SITE_URL, s.MTURK_ENDPOINT_URL)"
)
OWN = ("FABULA_", "MTURK_", "DATABASE_URL")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A data folder in which the demo has run on port 8123; nothing else is set."""
    for name in [name for name in os.environ if name.startswith(OWN)]:
        monkeypatch.delenv(name)
    (tmp_path / "demo.lock").write_text("8123")
    made = demo_environment(var=tmp_path, port=8123)
    monkeypatch.setenv("FABULA_VAR", str(tmp_path))
    # Restores the variables that the tests below have put in their place.
    for name in made.keys() - os.environ.keys():
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return made


def test_a_command_takes_the_keys_and_addresses_of_the_demo(demo: dict[str, str]) -> None:
    adopt_demo_settings()

    for name in ("FABULA_SECRET_KEY", "MTURK_SECRET_ACCESS_KEY", "FABULA_WORKER_SITE_URL"):
        assert os.environ[name] == demo[name]


def test_what_is_set_already_wins(demo: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTURK_ACCESS_KEY_ID", "ANOTHER")

    adopt_demo_settings()

    assert os.environ["MTURK_ACCESS_KEY_ID"] == "ANOTHER"
    assert os.environ["FABULA_SECRET_KEY"] == demo["FABULA_SECRET_KEY"]


def test_the_demo_is_left_alone_by_who_names_a_database(
    demo: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example.org/fabula")

    adopt_demo_settings()

    assert "FABULA_SECRET_KEY" not in os.environ


def test_without_a_demo_nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("FABULA_VAR", str(tmp_path))
    before = dict(os.environ)

    adopt_demo_settings()

    assert dict(os.environ) == before


def test_manage_py_does_so(var: Path) -> None:
    foreign = {name for name in os.environ if name.startswith(OWN)}
    env = {k: v for k, v in environment(var).items() if k == "FABULA_VAR" or k not in foreign}
    var.mkdir()
    (var / "demo.env").write_text("FABULA_SECRET_KEY=kept\nMTURK_ACCESS_KEY_ID=KEPT\n")
    (var / "demo.lock").write_text("8123")

    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", SHOW],
        cwd=BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
    )

    assert done.stdout.split() == [
        "kept",
        "KEPT",
        "http://127.0.0.1:8123",
        "http://localhost:8123/mturk/",
    ]
