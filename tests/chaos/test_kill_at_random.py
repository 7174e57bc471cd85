"""Twenty kills among people at work, as many as the whole suite has time for; see `make chaos`."""

import os
import subprocess
import sys

import pytest

from config.embedded.layout import BASE_DIR

FAULTS, SEED = 20, 20


@pytest.mark.chaos
@pytest.mark.timeout(300)
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds processes to kill in /proc")
def test_nothing_acknowledged_is_lost_in_twenty_kills() -> None:
    command = [sys.executable, "-m", "tests.chaos", f"--faults={FAULTS}", f"--seed={SEED}"]

    done = subprocess.run([*command, "--hurry"], cwd=BASE_DIR, capture_output=True, text=True)

    assert done.returncode == 0, f"{done.stdout[-8000:]}\n{done.stderr[-3000:]}"
    assert f"{FAULTS} faults:" in done.stdout
