"""What the containers of worker and beat are asked: whether they are truly at work."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from config import alive
from config.embedded.layout import BASE_DIR
from tests.config.users import eventually
from tests.stack import Stack
from tests.test_documents import services


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Stack]:
    with Stack(
        folder=tmp_path_factory.mktemp("alive"),
        blocker=django_db_blocker,
        processes=("worker", "beat"),
    ) as stack:
        yield stack


def is_alive(site: Stack, name: str) -> bool:
    """What docker-compose.yml asks of this service."""
    kind, program, *arguments = services()[name]["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    done = subprocess.run([sys.executable, *arguments], cwd=BASE_DIR, env=site.env)
    return done.returncode == 0


@pytest.mark.timeout(180)
def test_a_worker_that_is_stopped_does_not_answer(site: Stack) -> None:
    assert eventually(lambda: is_alive(site, "worker"), seconds=60)

    assert site.children is not None
    os.killpg(site.children.running["worker"].pid, signal.SIGSTOP)
    try:
        assert not is_alive(site, "worker")
    finally:
        os.killpg(site.children.running["worker"].pid, signal.SIGCONT)


@pytest.mark.timeout(180)
def test_a_beat_that_no_longer_ticks_is_seen(site: Stack) -> None:
    assert eventually(lambda: bool(books(site)), seconds=60)
    long_ago = time.time() - alive.MOST_SILENT_SECONDS - 1
    assert site.children is not None
    os.killpg(site.children.running["beat"].pid, signal.SIGSTOP)
    for book in books(site):
        os.utime(book, (long_ago, long_ago))

    assert not is_alive(site, "beat")

    os.killpg(site.children.running["beat"].pid, signal.SIGCONT)
    assert eventually(lambda: is_alive(site, "beat"), seconds=60)


def books(site: Stack) -> list[Path]:
    return list(site.folder.glob("celerybeat-schedule*"))


def test_a_host_without_a_beat_has_none_that_ticks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_VAR", str(tmp_path))

    assert alive.main(["beat"]) == 1


@pytest.mark.parametrize("arguments", [[], ["web"], ["worker", "beat"]])
def test_whoever_is_not_named_is_asked_for(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="worker or beat"):
        alive.main(arguments)


def test_without_the_broker_a_sentence_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "config.alive", "worker"],
        cwd=BASE_DIR,
        env=os.environ | {"REDIS_URL": "redis://127.0.0.1:1/0"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("The broker does not answer: ")
