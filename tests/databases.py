"""Databases that tests make for themselves, beside the one that pytest-django makes."""

import atexit
import os
import secrets
import subprocess
import sys
from functools import cache

import psycopg2
from psycopg2 import sql

from config.embedded.layout import BASE_DIR
from tests.addresses import with_path


def create_database(name: str, *, template: str = "template1") -> None:
    _administer("CREATE DATABASE {} TEMPLATE {}", name, template)


def drop_database(name: str) -> None:
    _administer("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


@cache
def migrated_database() -> str:
    """One as the migrations leave it, to be copied, which takes a twentieth of migrating.

    Made once by each process, and gone with it.
    """
    name = f"migrated_{secrets.token_hex(4)}"
    create_database(name)
    atexit.register(drop_database, name)
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity", "0"],
        cwd=BASE_DIR,
        env=os.environ | {"DATABASE_URL": with_path(os.environ["DATABASE_URL"], f"/{name}")},
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return name


def _administer(statement: str, *names: str) -> None:
    connection = psycopg2.connect(with_path(os.environ["DATABASE_URL"], "/postgres"))
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
    finally:
        connection.close()
