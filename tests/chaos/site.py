"""A whole site on services of its own, which are durable and may be killed with all the rest.

A thread does what an operator's supervisor does: it starts again what has died. Nothing else is
mended by hand.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg2
import psycopg2.extensions

from config.demo import health
from config.demo.children import Children
from config.demo.ports import addresses
from config.demo.programs import BEAT, WEB, WORKER, beat_command, web_command, worker_command
from config.embedded.layout import BASE_DIR
from tests.addresses import free_port
from tests.chaos import processes
from tests.chaos.commands import Commands
from tests.chaos.schema import read_schema

FOREIGN = ("FABULA_", "MTURK_", "MARKETPLACE_", "CELERY_", "DATABASE_", "REDIS_", "PYTEST_")
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "FABULA_SECRET_KEY": "the-chaos-secret-key-" + "0" * 40,
    "MTURK_ACCESS_KEY_ID": "CHAOSACCESSKEYID0000",
    "MTURK_SECRET_ACCESS_KEY": "chaos-secret-access-key-" + "0" * 20,
    "MTURK_SIGNING_SECRET": "chaos-signing-secret-" + "0" * 20,
    "PYTHONUNBUFFERED": "1",
}
# Longer than any start takes, on a busy machine, too.
READY_SECONDS = 300.0
MISTAKE = re.compile(r"^django\.db\.utils\.(?:Integrity|Programming|Data)Error: .*", re.M)
SUPERVISED = (WEB, WORKER, BEAT)


class SiteError(AssertionError):
    """The site did not do what it had to."""


class Site:
    """Services, web, worker and beat, from `with` to the end of it."""

    def __init__(self, folder: Path, *, schema: Path | None = None) -> None:
        """`schema` is a file of write_schema; without one, the site migrates."""
        self.folder = folder
        self.schema = schema
        self.var = folder / "var"
        self.port = free_port()
        self.task_site_url = f"http://127.0.0.1:{self.port}"
        self.worker_site_url = f"http://localhost:{self.port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        self.env = (
            kept
            | SETTINGS
            | {
                "FABULA_VAR": str(self.var),
                "FABULA_TASK_SITE_URL": self.task_site_url,
                "FABULA_WORKER_SITE_URL": self.worker_site_url,
            }
        )
        self.restarts = 0
        self._ending = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> Self:
        self.var.mkdir(parents=True, exist_ok=True)
        with ExitStack() as ends:
            ends.callback(self._leave_services, self._join_services())
            self.commands = Commands(env=self.env, output=self.folder / "commands.log")
            ends.callback(self.commands.close)
            self.children = Children(logs=self.folder)
            ends.callback(self._kill_children)
            if self.schema is None:
                self.manage("migrate", "--noinput", "--verbosity", "0")
            else:
                read_schema(self.env["DATABASE_URL"], self.schema)
            for name in SUPERVISED:
                self._start(name)
            self._supervisor.start()
            self.wait_until_ready()
            self._ends = ends.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.close()

    # --- Use --------------------------------------------------------------------------------------

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end; what it printed."""
        if self.commands.run(*arguments):
            raise SiteError(f"manage.py {' '.join(arguments)}: {self.commands.said()[-3000:]}")
        return self.commands.said()

    def connect(self) -> "psycopg2.extensions.connection":
        connection = psycopg2.connect(self.env["DATABASE_URL"], connect_timeout=5)
        connection.autocommit = True
        return connection

    def query(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Return the rows of one statement. Raises psycopg2.Error while the database is away."""
        connection = self.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                return list(cursor.fetchall()) if cursor.description else []
        finally:
            connection.close()

    def is_ready(self) -> bool:
        return health.answers(self.port)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not (self.is_ready() and health.answers(self.port, host="localhost")):
            if time.monotonic() > deadline:
                raise SiteError(f"The site does not come back.\n{self.logs()}")
            time.sleep(0.05)

    def logs(self, lines: int = 25) -> str:
        parts = []
        for path in self._log_files():
            parts += [f"--- {path.name}", *path.read_text(errors="replace").splitlines()[-lines:]]
        return "\n".join(parts)

    def mistakes(self) -> set[str]:
        """Errors in the logs that no kill explains: what was asked of the database was wrong."""
        return {
            line
            for path in self._log_files()
            for line in MISTAKE.findall(path.read_text(errors="replace"))
        }

    # --- What can be struck -----------------------------------------------------------------------

    def program(self, name: str) -> int | None:
        """The first process of web, worker or beat while it runs."""
        child = self.children.running.get(name)
        return child.pid if child is not None and child.process.returncode is None else None

    def server(self, name: str) -> int | None:
        """The first process of PostgreSQL or Valkey while it runs, and ours owns it."""
        try:
            pid = int((self.var / "owner" / f"{name}.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None
        return pid if self._is_owner(processes.parent_of(pid)) else None

    def owner(self) -> int | None:
        """The process that owns both servers."""
        pid = self.server("postgres") or self.server("valkey")
        return processes.parent_of(pid) or None if pid else None

    def _is_owner(self, pid: int) -> bool:
        command = processes.command_of(pid)
        return "owner.main" in command and f" {self.var.resolve()} " in command

    # --- Inside -----------------------------------------------------------------------------------

    def _join_services(self) -> "subprocess.Popen[str]":
        keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.keeper"],
            cwd=BASE_DIR,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert keeper.stdout is not None
        self.env |= json.loads(keeper.stdout.readline())
        return keeper

    def _leave_services(self, keeper: "subprocess.Popen[str]") -> None:
        assert keeper.stdin is not None and keeper.stdout is not None
        keeper.stdin.close()
        keeper.wait()
        keeper.stdout.close()

    def _log_files(self) -> list[Path]:
        return [*sorted(self.folder.glob("*.log")), *sorted(self.var.glob("owner/*.log"))]

    def _start(self, name: str) -> None:
        command = {
            WEB: web_command(addresses(self.port)),
            WORKER: worker_command(),
            BEAT: beat_command(),
        }[name]
        self.children.start(name, command, env=self.env)

    def _supervise(self) -> None:
        while not self._ending.wait(0.1):
            for child in list(self.children.running.values()):
                if not child.alive():
                    self.children.forget(child)
                    self._start(child.name)
                    self.restarts += 1

    def _kill_children(self) -> None:
        self._ending.set()
        if self._supervisor.is_alive():
            self._supervisor.join()
        for child in self.children.running.values():
            child.kill_group()
        self.children.stop_all()


def make_folder() -> Path:
    """A folder that the servers' own account can reach, too."""
    folder = Path(tempfile.mkdtemp(prefix="fabula-chaos-", dir="/tmp"))
    folder.chmod(0o755)
    return folder


def remove_folder(folder: Path) -> None:
    """Once the last of the servers has let go of it."""
    deadline = time.monotonic() + 30
    while (folder / "var" / "owner" / "state.json").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)
