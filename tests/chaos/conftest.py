import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.addresses import with_path
from tests.chaos.promises import Promises
from tests.chaos.researcher import Researcher
from tests.chaos.schema import write_schema
from tests.chaos.site import Site, make_folder, remove_folder
from tests.databases import migrated_database


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of the tests' own migrated database."""
    file = tmp_path_factory.mktemp("schema") / "migrated.sql"
    write_schema(with_path(os.environ["DATABASE_URL"], f"/{migrated_database()}"), file)
    return file


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = make_folder()
    yield made
    remove_folder(made)


@pytest.fixture(scope="module")
def site(folder: Path, schema: Path) -> Iterator[Site]:
    """A site whose servers may be stopped, with a study and an open round of twenty slots."""
    with Site(folder, schema=schema) as site:
        Researcher(site, Promises(), seed=1).set_up()
        yield site
