"""`transformers serve` on this machine, to be killed and started again at the same address."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import urllib3

from tests.addresses import free_port

COMMAND = [sys.executable, "-m", "transformers.cli.transformers", "serve"]
START_SECONDS = 90


class ModelServer:
    def __init__(self, model: Path, log: Path) -> None:
        self.model, self.log, self.port = model, log, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--device", "cpu"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*COMMAND, str(self.model), *options],
                env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "passive"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.2)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def answered(self) -> int:
        """Prompts, over all its lives."""
        return self.log.read_text().count('POST /v1/completions HTTP/1.1" 200')

    def _answers(self) -> bool:
        try:
            asked = urllib3.request("GET", f"{self.url}/health", retries=False, timeout=5)
        except urllib3.exceptions.HTTPError:
            return False
        return asked.status == 200
