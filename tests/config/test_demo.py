"""The demo as a newcomer runs it: up, found, stopped in every way, started again."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.layout import BASE_DIR
from tests.addresses import free_port
from tests.config.users import alive, environment, eventually
from tests.e2e.client import Client

KINDS = ("Read a short story and say what is likely true in it", "Judge short texts")

pytestmark = pytest.mark.timeout(420)
UP = "Fabula is running"


class RunningDemo:
    """`python -m config.demo` with its output kept."""

    def __init__(self, var: Path, *, port: int) -> None:
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "config.demo"],
            cwd=BASE_DIR,
            env=environment(var, FABULA_PORT=str(port), CELERY_TASK_ALWAYS_EAGER="false"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_heed_signals,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def wait_until_up(self) -> float:
        """Return how many seconds it took until everything was announced."""
        assert eventually(lambda: UP in self.output or not self._reader.is_alive(), seconds=240)
        assert UP in self.output, self.output
        assert eventually(lambda: "Ctrl-C stops everything" in self.output)
        return time.monotonic() - self.started

    def end(self, kind: signal.Signals) -> int:
        os.killpg(self.process.pid, kind)
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(60)
        self._reader.join(10)
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)


def _heed_signals() -> None:
    """Whoever runs the tests in the background, or by nohup, may have had them ignored."""
    for kind in (signal.SIGINT, signal.SIGHUP):
        signal.signal(kind, signal.SIG_DFL)


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def demo_var(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One data folder for this module, as a newcomer has one."""
    folder = Path("/tmp") / f"fabula-demo-{os.getpid()}"
    folder.mkdir(mode=0o755)
    yield folder / "var"
    subprocess.run(["rm", "-r", str(folder)], check=True)


@pytest.fixture
def demo(demo_var: Path, port: int) -> Iterator[RunningDemo]:
    running = RunningDemo(demo_var, port=port)
    yield running
    if running.process.poll() is None:
        running.end(signal.SIGTERM)
    assert eventually(lambda: processes_of(demo_var) == []), processes_of(demo_var)


def processes_of(var: Path) -> list[str]:
    """Return the command lines of all processes that were given this data folder."""
    mark, found = f"FABULA_VAR={var}\0".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found + alive(var)


def password(demo: RunningDemo) -> str:
    found = re.search(r"password (\S+)", demo.output)
    assert found, demo.output
    return found[1]


def invitation(demo: RunningDemo) -> str:
    found = re.search(r"(\S+/worker/join/\S+)", demo.output)
    assert found, demo.output
    return found[1]


def tasks_shown(demo: RunningDemo, port: int) -> str:
    """The list that a newcomer sees."""
    client = Client(f"http://localhost:{port}")
    client.join(invitation(demo), "A newcomer")
    return client.get("/worker/").text


def test_it_comes_up_is_left_in_every_way_and_keeps_its_data(
    demo: RunningDemo, demo_var: Path, port: int
) -> None:
    """One story: each start takes seconds of both cores."""
    demo.wait_until_up()
    first = (password(demo), invitation(demo))

    assert invitation(demo).startswith(f"http://localhost:{port}/worker/")
    for url in (f"http://localhost:{port}/worker/", f"http://127.0.0.1:{port}/admin/"):
        assert url in demo.output
    assert [tasks_shown(demo, port).count(kind) for kind in KINDS] == [1, 1]
    a_second_copy_is_refused(demo_var, port)
    a_killed_process_is_started_again(demo, port)
    assert demo.end(signal.SIGTERM) == 0
    assert eventually(lambda: processes_of(demo_var) == []), processes_of(demo_var)
    assert "Stopped. Your data is kept" in demo.output

    again = RunningDemo(demo_var, port=port)

    again.wait_until_up()
    assert (password(again), invitation(again)) == first
    assert [tasks_shown(again, port).count(kind) for kind in KINDS] == [1, 1]
    assert again.end(signal.SIGKILL) == -signal.SIGKILL

    after_the_kill = RunningDemo(demo_var, port=port)

    after_the_kill.wait_until_up()
    assert password(after_the_kill) == first[0]
    assert after_the_kill.end(signal.SIGINT) == 0


def a_second_copy_is_refused(demo_var: Path, port: int) -> None:
    second = RunningDemo(demo_var, port=free_port())

    assert second.wait() == 1
    assert "The demo is running already" in second.output
    assert f"http://localhost:{port}/" in second.output
    assert "Traceback" not in second.output


def a_killed_process_is_started_again(demo: RunningDemo, port: int) -> None:
    web = Path(f"/proc/{demo.process.pid}/task/{demo.process.pid}/children").read_text().split()
    masters = [pid for pid in web if b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    os.kill(int(masters[0]), signal.SIGKILL)

    assert eventually(lambda: "'web' had stopped and was started again" in demo.output)
    assert eventually(lambda: _answers(port), seconds=40)


def test_a_terminal_that_is_closed_ends_it_as_it_starts(demo: RunningDemo) -> None:
    assert eventually(lambda: "Preparing the database" in demo.output)

    assert demo.end(signal.SIGHUP) == 0
    assert UP not in demo.output
    assert "Stopped. Your data is kept" in demo.output


def test_a_port_in_use_is_said_in_a_sentence(demo_var: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken: int = other.getsockname()[1]

        refused = RunningDemo(demo_var, port=taken)

        assert refused.wait() == 1
    assert f"Port {taken} is used by another program" in refused.output
    assert "Traceback" not in refused.output


def test_a_port_that_is_none_is_said_in_a_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "config.demo"],
        cwd=BASE_DIR,
        env=environment(tmp_path / "var", FABULA_PORT="80a"),
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "'80a', which is not a port" in done.stderr


def test_asked_for_help_it_does_not_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "config.demo", "--help"],
        cwd=BASE_DIR,
        env=environment(tmp_path / "var"),
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "FABULA_PORT" in done.stdout
    assert not (tmp_path / "var").exists()


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/worker/", timeout=10).close()
    except OSError:
        return False
    return True
