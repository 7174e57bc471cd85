"""A disk that can be filled without harm: a file system in memory, mounted for a test."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.chaos.site import make_folder
from tests.config.users import alive, eventually

FILLER = "others"


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    folder = make_folder()
    options = f"size={megabytes}m,mode=755"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("a small disk can be mounted by root only, and not in every container")
    try:
        yield folder
    finally:
        assert eventually(lambda: not alive(folder / "var"))
        assert eventually(
            lambda: subprocess.run(["umount", str(folder)], capture_output=True).returncode == 0
        )
        folder.rmdir()


def fill(folder: Path) -> None:
    """Use up what is left, to the last byte."""
    with (folder / FILLER).open("ab", buffering=0) as out:
        for size in (1024 * 1024, 4096, 1):
            try:
                while True:
                    out.write(b"\0" * size)
            except OSError:
                continue


def make_room(folder: Path) -> None:
    (folder / FILLER).unlink()
