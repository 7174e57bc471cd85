"""Processes that use the embedded services, to be ended in every way a process can end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import psycopg2
import redis

from config.embedded import lock
from config.embedded.account import Account
from config.embedded.layout import BASE_DIR, Layout

PROGRAM = (
    "import json, os, sys\n"
    "from config import embedded\n"
    "services = embedded.join(durable=False)\n"
    "names = ('DATABASE_URL', 'REDIS_URL')\n"
    "print(json.dumps({name: os.environ[name] for name in names}), flush=True)\n"
    "sys.stdin.read()\n"
)
LOCKS = ("owner", "postgres", "valkey")


def environment(var: Path, **extra: str) -> dict[str, str]:
    """Return an environment in which nothing is set but the data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    return kept | {"FABULA_VAR": str(var)} | extra


class User:
    """A process that joins the services and stays until it is told to go."""

    started: ClassVar[list["User"]] = []

    def __init__(self, var: Path, *, account: Account | None = None, **extra: str) -> None:
        python, env, options = sys.executable, environment(var, **extra), {}
        if account is not None:
            python = str(python_for(account))
            env |= {"PYTHONPATH": f"{BASE_DIR}:{sysconfig.get_path('purelib')}", "HOME": "/tmp"}
            options = {name: account.popen_options()[name] for name in ("user", "group")}
        self.process = subprocess.Popen(
            [python, "-c", PROGRAM],
            cwd=BASE_DIR,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        self._urls: dict[str, str] | None = None
        self.started.append(self)

    @property
    def urls(self) -> dict[str, str]:
        """The services' addresses, once this user has joined."""
        if self._urls is None:
            assert self.process.stdout is not None and self.process.stderr is not None
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self._urls = dict(json.loads(line))
        return self._urls

    def query(self, statement: str) -> Any:
        return query(self.urls["DATABASE_URL"], statement)

    def broker(self) -> redis.Redis:
        return redis.Redis.from_url(self.urls["REDIS_URL"])

    def end(self, kind: signal.Signals | None = None) -> str:
        """Leave, by the end of the program or by a signal; return what it said on stderr."""
        if kind is not None:
            os.killpg(self.process.pid, kind)
        said: str = self.process.communicate(timeout=30)[1]
        return said


def query(url: str, statement: str) -> Any:
    """Run a statement; return the first value of its first row, if it has rows."""
    connection = psycopg2.connect(url)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
            row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None
    finally:
        connection.close()


def alive(var: Path) -> list[str]:
    """Return which of the owner and the servers (with all their children) are there."""
    layout = Layout(var)
    return [name for name in LOCKS if _held(layout.server_lock(name))]


def _held(path: Path) -> bool:
    if not path.exists():
        return False
    fd = lock.open_lock(path)
    try:
        return not lock.try_exclusive(fd)
    finally:
        os.close(fd)


def pid_of(var: Path, server: str) -> int:
    return int((var / "owner" / f"{server}.pid").read_text())


def eventually(condition: Callable[[], bool], *, seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def python_for(account: Account) -> Path | None:
    """Return a Python like ours that the account can run with our packages."""
    major, minor = sys.version_info[:2]
    for found in (sys.executable, shutil.which(f"python{major}.{minor}", path=os.defpath)):
        packages = f"import sys; sys.path[:0] = [{str(BASE_DIR)!r}, {_packages()!r}]; "
        check = packages + "import psycopg2, celery, config.embedded"
        if found and account.can_run(found, "-c", check):
            return Path(found)
    return None


def _packages() -> str:
    return sysconfig.get_path("purelib")
