"""Kill -9 of whatever has a part in a run: it ends once, with one set of outputs."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from config.demo.programs import BEAT, RUNS, WORKER
from config.embedded.programs import valkey_server
from modeling.copying import Copy
from modeling.models import Run
from tests.addresses import free_port
from tests.annotation.releases.world import past_rows
from tests.chaos.processes import command_of
from tests.modeling.running import make_run
from tests.stack import Stack
from tests.studies.factories import make_study
from tests.studies.published import lines

TUPLES = 5
INSTANCES = 4 * TUPLES
SETTINGS = {
    "FABULA_RUN_LEASE_SECONDS": "3",
    "FABULA_RUN_REAP_SECONDS": "0.5",
    "FABULA_RUN_RESEND_SECONDS": "2",
    # A machine with much to do lets a lease of three seconds lapse by itself.
    "FABULA_RUN_ATTEMPTS": "20",
}


class Broker:
    """A Valkey that keeps nothing on disk: killed, it loses every message."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        options = {"port": self.port, "bind": "127.0.0.1", "save": "", "dir": self.folder}
        arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        self.process = subprocess.Popen(
            [str(valkey_server()), *arguments], stdout=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + 20
        while True:
            try:
                redis.Redis.from_url(self.url).ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < deadline, "Valkey does not answer."
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.kill()


@pytest.fixture(scope="module")
def site(
    broker: Broker, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("runs")
    settings = SETTINGS | {"REDIS_URL": broker.url, "FABULA_RUNS_DIR": str(folder / "runs")}
    with Stack(
        folder=folder, blocker=django_db_blocker, processes=(RUNS, WORKER, BEAT), settings=settings
    ) as stack:
        yield stack


def start_runs(site: Stack, tmp_path: Path, count: int = 1) -> list[Run]:
    """Waiting runs, which beat finds and sends."""
    file = tmp_path / "test.jsonl"
    file.write_bytes(lines(*past_rows(TUPLES, 1)))
    with site.django(), override_settings(RUNS_DIR=site.folder / "runs"):
        study = make_study()
        return [
            make_run(study=study, files={"test": file}, configuration=Copy(seconds_each=0.1))
            for _ in range(count)
        ]


def wait_for(site: Stack, condition: str, run: Run) -> None:
    """Meanwhile what dies of the broker's death is started again, as a supervisor would."""
    deadline = time.monotonic() + 90
    while not site.query(f"SELECT 1 FROM modeling_run WHERE id = %s AND {condition}", run.pk):
        assert time.monotonic() < deadline, f"not {condition}\n{site.logs()}"
        site.revive()
        time.sleep(0.1)


def wait_for_work(site: Stack, run: Run) -> int:
    """The process of a runner that is in the midst of it."""
    wait_for(site, "(progress ->> 'step')::int > 0", run)
    [pid] = runners_of(run)
    return pid


def runners_of(run: Run) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if f"/{run.public_id}" in command_of(pid)]


def assert_ends_once(site: Stack, run: Run) -> int:
    """How many attempts it took."""
    wait_for(site, "finished_at IS NOT NULL", run)
    [(state, attempts, error)] = site.query(
        "SELECT state, attempts, error FROM modeling_run WHERE id = %s", run.pk
    )
    assert (state, error) == ("done", ""), site.logs()
    [(outputs, inputs)] = site.query(
        "SELECT count(*), count(DISTINCT instance_key) FROM modeling_generation WHERE run_id = %s",
        run.pk,
    )
    assert outputs == inputs == INSTANCES
    assert not runners_of(run)
    return int(attempts)


def test_of_the_runner(site: Stack, tmp_path: Path) -> None:
    [run] = start_runs(site, tmp_path)
    os.kill(wait_for_work(site, run), signal.SIGKILL)

    assert assert_ends_once(site, run) >= 2


def test_of_the_worker(site: Stack, tmp_path: Path) -> None:
    [run] = start_runs(site, tmp_path)
    runner = wait_for_work(site, run)
    site.kill(RUNS)
    deadline = time.monotonic() + 10
    while command_of(runner):
        assert time.monotonic() < deadline, "The runner outlived its supervisor."
        time.sleep(0.05)
    site.start(RUNS)

    assert assert_ends_once(site, run) >= 2


def test_of_both_at_once(site: Stack, tmp_path: Path) -> None:
    [run] = start_runs(site, tmp_path)
    os.kill(wait_for_work(site, run), signal.SIGKILL)
    site.kill(RUNS)
    site.start(RUNS)

    assert assert_ends_once(site, run) >= 2


def test_of_the_broker(site: Stack, broker: Broker, tmp_path: Path) -> None:
    at_work, waiting = start_runs(site, tmp_path, count=2)
    wait_for_work(site, at_work)
    wait_for(site, "sent_at IS NOT NULL", waiting)
    broker.kill()
    broker.start()

    assert_ends_once(site, at_work)
    assert_ends_once(site, waiting)
