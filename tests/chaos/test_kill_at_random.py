"""A hundred kills among people at work, at random each time; `make chaos` has a thousand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded.layout import BASE_DIR

FAULTS = 100


@pytest.mark.chaos
@pytest.mark.timeout(600)
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds processes to kill in /proc")
def test_nothing_acknowledged_is_lost_in_a_hundred_kills(schema: Path) -> None:
    command = [sys.executable, "-m", "tests.chaos", f"--faults={FAULTS}", "--hurry"]
    command.append(f"--schema={schema}")

    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True)

    assert done.returncode == 0, f"{done.stdout[-8000:]}\n{done.stderr[-3000:]}"
    assert f"{FAULTS} faults:" in done.stdout
