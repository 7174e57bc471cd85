"""Child processes, each with a process group and a log of its own, that never outlive us."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from config.demo import guard
from config.embedded.layout import BASE_DIR

STOP_SECONDS = 10.0
LOG_BYTES = 5 * 1024 * 1024


class Child:
    """One started command. Its group takes in whatever it starts itself."""

    def __init__(self, *, name: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.name = name
        self.process = process
        self.log = log

    @property
    def pid(self) -> int:
        return self.process.pid

    def alive(self) -> bool:
        return self.process.poll() is None

    def send(self, kind: signal.Signals) -> None:
        """Signal the first process alone; it tells its own children."""
        if self.alive():
            self.process.send_signal(kind)

    def kill_group(self) -> None:
        """Kill what is left of the group, even after its first process is gone."""
        guard.signal_groups({self.pid}, signal.SIGKILL)
        self.process.wait()

    def tail(self, lines: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


class Children:
    """Starts children and ends them all. A guard ends them when this process is killed."""

    def __init__(self, *, logs: Path) -> None:
        self.logs = logs
        self.running: dict[str, Child] = {}
        self._guard = subprocess.Popen(
            [sys.executable, guard.__file__], stdin=subprocess.PIPE, start_new_session=True
        )

    def __enter__(self) -> "Children":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop_all()

    def start(
        self,
        name: str,
        command: list[str],
        *,
        env: dict[str, str],
        output: Path | None = None,
    ) -> Child:
        """Start a command with its messages in `<logs>/<name>.log` (and its output in `output`)."""
        log = self.logs / f"{name}.log"
        too_long = log.exists() and log.stat().st_size > LOG_BYTES
        with (
            log.open("wb" if too_long else "ab") as messages,
            (output or Path(os.devnull)).open("wb") as separate,
        ):
            process = subprocess.Popen(
                command,
                cwd=BASE_DIR,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=separate if output else messages,
                stderr=messages,
                start_new_session=True,
            )
        self._tell_guard(f"+{process.pid}")
        child = Child(name=name, process=process, log=log)
        self.running[name] = child
        return child

    def forget(self, child: Child) -> None:
        """Take a child that has ended off the books."""
        child.kill_group()
        self._tell_guard(f"-{child.pid}")
        if self.running.get(child.name) is child:
            del self.running[child.name]

    def stop(self, *children: Child, seconds: float = STOP_SECONDS) -> None:
        """Ask children to stop, all at once, and kill those that have not after `seconds`.

        A second request cuts short what a job worker still wants to finish.
        """
        for child in children:
            child.send(signal.SIGTERM)
        started = time.monotonic()
        hurried = False
        while any(child.alive() for child in children):
            waited = time.monotonic() - started
            if waited > seconds:
                break
            if waited > seconds / 2 and not hurried:
                hurried = True
                for child in children:
                    child.send(signal.SIGQUIT)
            time.sleep(0.05)
        for child in children:
            self.forget(child)

    def stop_all(self) -> None:
        self.stop(*self.running.values())
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        self._guard.wait()

    def _tell_guard(self, line: str) -> None:
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{line}\n".encode())
        self._guard.stdin.flush()
