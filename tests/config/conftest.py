import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.users import User, alive, eventually


@pytest.fixture
def var() -> Iterator[Path]:
    """A data folder that the servers' account can reach; pytest's own folders are private."""
    folder = Path(tempfile.mkdtemp(prefix="fabula-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder / "var"
    while User.started:
        User.started.pop().process.kill()
    assert eventually(lambda: not alive(folder / "var")), "the services outlived their last user"
    shutil.rmtree(folder)
