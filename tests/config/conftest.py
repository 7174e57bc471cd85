import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.users import User, alive, eventually


@pytest.fixture
def var() -> Iterator[Path]:
    """A data folder that the servers' account can reach; pytest's own folders are private."""
    folder = make_folder()
    yield folder / "var"
    end_all(folder / "var")
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def used_folder() -> Iterator[Path]:
    folder = make_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def used_var(used_folder: Path) -> Iterator[Path]:
    """One that other tests have used and left: its cluster need not be made."""
    yield used_folder / "var"
    end_all(used_folder / "var")


def make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fabula-test-", dir="/tmp"))
    folder.chmod(0o755)
    return folder


def end_all(var: Path) -> None:
    while User.started:
        User.started.pop().process.kill()
    assert eventually(lambda: not alive(var)), "the services outlived their last user"
