"""A full disk is said in one sentence."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.layout import BASE_DIR
from tests.config.users import alive, environment, eventually


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system with room for 8 MB, of which all but some are used."""
    folder = Path(tempfile.mkdtemp(prefix="fabula-disk-", dir="/tmp"))
    command = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("a small disk can be mounted by root only, and not in every container")
    yield folder
    assert eventually(lambda: not alive(folder / "var"))
    assert eventually(
        lambda: subprocess.run(["umount", str(folder)], capture_output=True).returncode == 0
    )
    folder.rmdir()


@pytest.mark.parametrize("free", [0, 4 * 1024 * 1024])
def test_a_full_disk_is_one_sentence(small_disk: Path, free: int) -> None:
    available = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    (small_disk / "others").write_bytes(b"\0" * (available - free))

    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=BASE_DIR,
        env=environment(small_disk / "var"),
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"no space left on the disk that holds {small_disk}" in done.stderr
