"""The real thing for tests that need it: gunicorn, a Celery worker and beat on a database of
their own, reached over HTTP as a browser or a requester's script would.

    def test_something(stack: Stack) -> None:
        stack.run_manage("create_study", "pasta")
        with stack.django():               # the ORM, on the stack's database
            assert Study.objects.count() == 1
        requests to stack.worker_site_url; stack.kill("web"); stack.start("web")

The fixture `stack` (tests/conftest.py) is one stack for the whole run of a pytest process, emptied
before each test. A test that needs other settings makes its own: `with Stack(folder=...) as stack`.
"""

import itertools
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import psycopg2
import redis
from celery import Celery
from django.core.management import call_command
from django.db import connections
from django.test import override_settings

from config.broker import broker_url
from config.demo import health
from config.demo.children import Children
from config.demo.ports import addresses
from config.demo.programs import (
    BEAT,
    RUNS,
    WEB,
    WORKER,
    beat_command,
    runs_command,
    web_command,
    worker_command,
)
from config.embedded.layout import BASE_DIR
from tests.addresses import PROCESS, free_port, with_database, with_path
from tests.databases import create_database, drop_database, migrated_database
from tests.emptying import DELETE_ALL

READY_SECONDS = 60.0
EMPTY_TRIES = 10
# Numbered databases of Valkey: 0 is the tests' own, each process of pytest has some more.
_numbers = itertools.cycle(range(1 + PROCESS * 12, 13 + PROCESS * 12))


class StackError(AssertionError):
    """A process of the stack did not do what it had to; the message ends with its log."""


class Blocker(Protocol):
    """What keeps tests off the database; pytest-django's."""

    def unblock(self) -> AbstractContextManager[None]: ...


class Stack:
    """Web, worker and beat, from `with` to the end of it."""

    def __init__(
        self,
        *,
        folder: Path,
        blocker: Blocker,
        processes: tuple[str, ...] = (WEB, WORKER, BEAT),
        settings: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.blocker = blocker
        self.processes = processes
        self.port = free_port()
        self.task_site_url = f"http://127.0.0.1:{self.port}"
        self.worker_site_url = f"http://localhost:{self.port}"
        self.database = f"stack_{secrets.token_hex(4)}"
        self.database_url = with_path(os.environ["DATABASE_URL"], f"/{self.database}")
        self.redis_url = with_database(os.environ["REDIS_URL"], next(_numbers))
        self.env = dict(os.environ) | {
            "FABULA_VAR": str(folder),
            "DATABASE_URL": self.database_url,
            "DATABASE_CONN_MAX_AGE": "60",
            "REDIS_URL": self.redis_url,
            "CELERY_TASK_ALWAYS_EAGER": "false",
            "FABULA_TASK_SITE_URL": self.task_site_url,
            "FABULA_WORKER_SITE_URL": self.worker_site_url,
            "PYTHONUNBUFFERED": "1",
        }
        self.env |= settings or {}
        self.children: Children | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        create_database(self.database, template=migrated_database())
        redis.Redis.from_url(self.redis_url).flushdb()
        self.children = Children(logs=self.folder)
        try:
            for name in self.processes:
                self.start(name, wait=False)
            self.wait_until_ready()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    # --- Processes ------------------------------------------------------------------------

    def start(self, name: str, *, wait: bool = True) -> None:
        """Start "web", "worker", "runs" or "beat", which must not be running."""
        children = self._children()
        command = {
            WEB: web_command(addresses(self.port)),
            WORKER: worker_command(),
            RUNS: runs_command(),
            BEAT: beat_command(),
        }[name]
        children.start(name, command, env=self.env)
        if wait:
            self.wait_until_ready()

    def stop(self, name: str) -> None:
        """Stop a process as an administrator would, and wait until it is gone."""
        children = self._children()
        children.stop(children.running[name])

    def kill(self, name: str, kind: signal.Signals = signal.SIGKILL) -> None:
        """Signal a process and everything that it started; wait until the first one is gone."""
        children = self._children()
        child = children.running[name]
        os.killpg(child.pid, kind)
        child.process.wait(30)
        children.forget(child)

    def wait_until_ready(self) -> None:
        """Wait until the site answers on both of its names."""
        children = self._children()
        if WEB not in children.running:
            return
        deadline = time.monotonic() + READY_SECONDS
        while not all(health.answers(self.port, host=host) for host in ("127.0.0.1", "localhost")):
            if not children.running[WEB].alive() or time.monotonic() > deadline:
                raise StackError(f"The site does not answer.\n{self.logs()}")
            time.sleep(0.05)

    def run_manage(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Run a management command; a failure that is not asked for shows what it said."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=BASE_DIR,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if check and done.returncode:
            raise StackError(f"manage.py {' '.join(arguments)}: {done.stderr[-3000:]}")
        return done

    def call(self, *arguments: str) -> str:
        """Run a management command in this process, which starts no other; what it printed."""
        out = StringIO()
        with self.django():
            call_command(*arguments, stdout=out)
        return out.getvalue()

    def tick(self, task: str) -> None:
        """Have the worker do now what beat has it do every so often."""
        with Celery(broker=broker_url(self.redis_url)) as app:
            app.send_task(task, queue="default")

    def logs(self, lines: int = 30) -> str:
        """Return the end of every log, for the message of a failed test."""
        parts = []
        for path in sorted(self.folder.glob("*.log")):
            tail = path.read_text(errors="replace").splitlines()[-lines:]
            parts.append("\n".join([f"--- {path.name}", *tail]))
        return "\n".join(parts)

    # --- Data -----------------------------------------------------------------------------

    @contextmanager
    def django(self) -> Iterator[None]:
        """Use the ORM on the stack's database: models, services, factories, committed at once.

        Works inside `sync_playwright` too, whose event loop Django would take for async code. The
        settings name the stack's sites. Jobs enqueued here run here, eagerly, as in other tests.
        """
        default = connections["default"]
        before = default.settings_dict["NAME"]
        unsafe = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        default.close()
        default.settings_dict["NAME"] = self.database
        try:
            with self.blocker.unblock(), override_settings(**self._settings()):
                yield
        finally:
            with self.blocker.unblock():
                default.close()
            default.settings_dict["NAME"] = before
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
            if unsafe is not None:
                os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = unsafe

    def db(self) -> Any:
        """Return a psycopg2 connection to the stack's database, committing each statement."""
        connection = psycopg2.connect(self.database_url)
        connection.autocommit = True
        return connection

    def query(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Return the rows of one statement."""
        connection = self.db()
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                return list(cursor.fetchall()) if cursor.description else []
        finally:
            connection.close()

    def wait_for(
        self, statement: str, *parameters: object, seconds: float = 30.0
    ) -> tuple[Any, ...]:
        """Return the first row whose first value is true, once there is one."""
        deadline = time.monotonic() + seconds
        while True:
            rows = self.query(statement, *parameters)
            if rows and rows[0][0]:
                return rows[0]
            if time.monotonic() > deadline:
                raise StackError(
                    f"Not within {seconds:.0f} s: {statement} {parameters}, last {rows[:3]}\n"
                    f"{self.logs()}"
                )
            time.sleep(0.1)

    def empty(self) -> None:
        """Delete all rows and waiting jobs, and start again what a test has killed.

        Numbers go on: what an earlier test's page or job still sends names no row of this one.
        """
        redis.Redis.from_url(self.redis_url).delete("default", "unacked", "unacked_index")
        for left in reversed(range(EMPTY_TRIES)):
            try:
                self.query(DELETE_ALL)
                break
            except psycopg2.errors.DeadlockDetected:
                # A running job held one table and wanted another; it was the victim or we are.
                if not left:
                    raise
        self.revive()

    def revive(self) -> None:
        """Start again what has ended, as an administrator's supervisor would."""
        for name in self.processes:
            child = self._children().running.get(name)
            if child is not None and not child.alive():
                self._children().forget(child)
                child = None
            if child is None:
                self.start(name)

    def _settings(self) -> dict[str, Any]:
        return {
            "TASK_SITE_URL": self.task_site_url,
            "WORKER_SITE_URL": self.worker_site_url,
            "MTURK_ENDPOINT_URL": f"{self.worker_site_url}/mturk/",
            "MTURK_SUBMIT_ORIGINS": [self.worker_site_url],
        }

    # --- Inside ---------------------------------------------------------------------------

    def _children(self) -> Children:
        if self.children is None:
            raise StackError("The stack is not up: use it with `with`.")
        return self.children

    def _end(self) -> None:
        self._children().stop_all()
        self.children = None
        drop_database(self.database)
        redis.Redis.from_url(self.redis_url).flushdb()
