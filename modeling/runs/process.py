"""The runner's process, in a group of its own."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

from django.conf import settings

from modeling.models import Run
from modeling.runner import SUPERVISED

# Unless the worker's own environment says otherwise.
THREADS = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}


class Runner:
    """It ends with this process: the pipe to its standard input closes then."""

    def __init__(self, run: Run) -> None:
        with run.folder.log.open("ab") as log:
            self._process = subprocess.Popen(
                command_for(run),
                cwd=settings.BASE_DIR,
                env=THREADS | os.environ,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> None:
        """With all that it has started, even where it is gone itself."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()


def command_for(run: Run) -> list[str]:
    module = ["-m", "modeling.runner", str(run.folder.path), SUPERVISED]
    if run.processes == 1:
        return [sys.executable, *module]
    launch = ["-m", "accelerate.commands.launch", "--num_processes", str(run.processes)]
    return [sys.executable, *launch, "--multi_gpu", *module]
