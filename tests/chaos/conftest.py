from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.promises import Promises
from tests.chaos.researcher import Researcher
from tests.chaos.site import Site, make_folder, remove_folder


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = make_folder()
    yield made
    remove_folder(made)


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    """A site whose servers may be stopped, with a study and an open round of twenty slots."""
    with Site(folder) as site:
        Researcher(site, Promises(), seed=1).set_up()
        yield site
