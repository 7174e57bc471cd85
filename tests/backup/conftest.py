import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.db import connections
from django.test import override_settings
from psycopg2 import sql
from pytest_django import DjangoDbBlocker

from tests.addresses import with_path
from tests.databases import create_database, drop_database, migrated_database


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


MakeSite = Callable[..., Site]


def sites(blocker: DjangoDbBlocker, folder: Path) -> Iterator[MakeSite]:
    made: list[Site] = []

    def make(*, with_tables: bool = True) -> Site:
        site = Site(folder, blocker)
        made.append(site)
        create_database(site.name, template=migrated_database() if with_tables else "template1")
        return site

    yield make
    for site in made:
        drop_database(site.name)


@pytest.fixture
def make_site(django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[MakeSite]:
    yield from sites(django_db_blocker, tmp_path)


@pytest.fixture(scope="module")
def make_lasting_site(
    django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeSite]:
    yield from sites(django_db_blocker, tmp_path_factory.mktemp("sites"))
