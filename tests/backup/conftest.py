import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.core.management import call_command
from django.db import connections
from django.test import override_settings
from psycopg2 import sql
from pytest_django import DjangoDbBlocker

from tests.addresses import with_path


class Site:
    """A database and a folder of files of its own, migrated or empty."""

    def __init__(self, folder: Path, blocker: DjangoDbBlocker) -> None:
        self.name = f"site_{secrets.token_hex(4)}"
        self.url = with_path(os.environ["DATABASE_URL"], f"/{self.name}")
        self.media = folder / self.name
        self.blocker = blocker

    @contextmanager
    def use(self) -> Iterator[None]:
        """Django works on this site: ORM, commands, test client."""
        default = connections["default"]
        default.close()
        before = default.settings_dict["NAME"]
        default.settings_dict["NAME"] = self.name
        try:
            with self.blocker.unblock(), override_settings(MEDIA_ROOT=self.media):
                yield
        finally:
            with self.blocker.unblock():
                default.close()
            default.settings_dict["NAME"] = before

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table, and where every sequence stands."""
        connection = psycopg2.connect(self.url)
        try:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT relname, relkind FROM pg_class WHERE relkind IN ('r', 'S')"
                    " AND relnamespace = 'public'::regnamespace"
                )
                found = {}
                for name, kind in sorted(cursor.fetchall()):
                    what = "t::text" if kind == "r" else "last_value, is_called"
                    cursor.execute(
                        sql.SQL("SELECT {} FROM {} t ORDER BY 1").format(
                            sql.SQL(what), sql.Identifier(name)
                        )
                    )
                    found[name] = cursor.fetchall()
                return found
        finally:
            connection.close()


def administer(statement: str) -> None:
    connection = psycopg2.connect(with_path(os.environ["DATABASE_URL"], "/postgres"))
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(statement)
    connection.close()


@pytest.fixture(scope="module")
def migrated(django_db_blocker: DjangoDbBlocker, tmp_path_factory: Any) -> Iterator[Site]:
    """Has its tables and no rows; copied by `make_site`, which is quicker than migrating."""
    site = Site(tmp_path_factory.mktemp("migrated"), django_db_blocker)
    administer(f"CREATE DATABASE {site.name}")
    with site.use():
        call_command("migrate", verbosity=0)
    yield site
    administer(f"DROP DATABASE {site.name} WITH (FORCE)")


MakeSite = Callable[..., Site]


def sites(migrated: Site, blocker: DjangoDbBlocker, folder: Path) -> Iterator[MakeSite]:
    made: list[Site] = []

    def make(*, with_tables: bool = True) -> Site:
        site = Site(folder, blocker)
        made.append(site)
        administer(f"CREATE DATABASE {site.name}" + f" TEMPLATE {migrated.name}" * with_tables)
        return site

    yield make
    for site in made:
        administer(f"DROP DATABASE {site.name} WITH (FORCE)")


@pytest.fixture
def make_site(
    migrated: Site, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> Iterator[MakeSite]:
    yield from sites(migrated, django_db_blocker, tmp_path)


@pytest.fixture(scope="module")
def make_lasting_site(
    migrated: Site, django_db_blocker: DjangoDbBlocker, tmp_path_factory: Any
) -> Iterator[MakeSite]:
    yield from sites(migrated, django_db_blocker, tmp_path_factory.mktemp("sites"))
