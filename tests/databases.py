"""Databases that tests make for themselves, beside the one that pytest-django makes."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg2
import psycopg2.extensions
from psycopg2 import sql

from config.embedded.layout import BASE_DIR
from tests.addresses import with_path

MIGRATED = "migrated_"
LOCK = 4_711


def create_database(name: str, *, template: str = "template1") -> None:
    _administer("CREATE DATABASE {} TEMPLATE {}", name, template)


def drop_database(name: str) -> None:
    _administer("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


@cache
def migrated_database() -> str:
    """One as the migrations leave it, to be copied, which takes a twentieth of migrating.

    Kept from run to run until a migration or a required package changes.
    """
    name = f"{MIGRATED}{_fingerprint()}"
    with _administration() as cursor:
        # Of several processes one makes it, and the others wait.
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [MIGRATED])
        found = [known for (known,) in cursor.fetchall()]
        if name not in found:
            for old in found:
                drop_database(old)
            _migrate(f"{name}_begun")
            _administer("ALTER DATABASE {} RENAME TO {}", f"{name}_begun", name)
    return name


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for file in sorted([*BASE_DIR.glob("*/migrations/*.py"), *BASE_DIR.glob("requirements*.txt")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _migrate(name: str) -> None:
    create_database(name)
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity", "0"],
        cwd=BASE_DIR,
        env=os.environ | {"DATABASE_URL": with_path(os.environ["DATABASE_URL"], f"/{name}")},
        stdin=subprocess.DEVNULL,
        check=True,
    )


def _administer(statement: str, *names: str) -> None:
    with _administration() as cursor:
        cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@contextmanager
def _administration() -> Iterator[psycopg2.extensions.cursor]:
    connection = psycopg2.connect(with_path(os.environ["DATABASE_URL"], "/postgres"))
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()
