"""Management commands that start at once: processes forked from one that has loaded Django.

Run as a program, it takes a command a line and answers with its process and then its exit status.
"""

import gc
import importlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import NoReturn

from config.embedded.layout import BASE_DIR
from tests.chaos import processes


class Commands:
    """One command at a time, which may be killed meanwhile."""

    def __init__(self, *, env: dict[str, str], output: Path) -> None:
        self.output = output
        self._running = 0
        self._lock = threading.Lock()
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.commands", str(output)],
            cwd=BASE_DIR,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> int:
        """Run a command to its end; its exit status, negative when it was killed."""
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(f"{json.dumps(arguments)}\n")
        self._server.stdin.flush()
        self._running = int(self._server.stdout.readline())
        status = self._server.stdout.readline()
        with self._lock:
            self._running = 0
        return int(status)

    def kill(self) -> bool:
        """Kill the command that is under way; whether there was one."""
        with self._lock:
            return bool(self._running) and processes.kill(self._running)

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        self.kill()
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()


def serve(output: str) -> None:
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            run_here(json.loads(line), output)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def run_here(arguments: list[str], output: str) -> NoReturn:
    from manage import run_and_record

    os.setsid()
    with open(os.devnull) as nothing, open(output, "w") as said:
        os.dup2(nothing.fileno(), 0)
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    sys.argv = ["manage.py", *arguments]
    run_and_record(sys.argv)
    sys.exit(0)


if __name__ == "__main__":
    import django
    from django.core.checks import run_checks
    from django.urls import reverse

    django.setup()
    # Load here what each command would load, and would look through as it ends.
    run_checks()
    reverse("admin:index")
    importlib.import_module("studies.mturk").client()
    gc.freeze()
    serve(sys.argv[1])
