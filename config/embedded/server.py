"""One server process: started once, known to be alive, stopped cleanly."""

import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from config.death import die_with_parent
from config.embedded import lock
from config.embedded.errors import ServiceError, no_space
from config.embedded.home import Home
from config.embedded.layout import Layout
from config.embedded.programs import Programs

LEFTOVER_SECONDS = 15.0
START_SECONDS = 120.0
STOP_SECONDS = 20.0
NEEDED_BYTES = 100 * 1024 * 1024
LOG_BYTES = 5 * 1024 * 1024


class Server(ABC):
    """Common to both servers.

    A server inherits a lock from its owner and so do its own children. Who gets this lock knows
    that nothing of an earlier server is alive, whatever pid files say: a pid may be another
    process's by now, and after a kill -9 of PostgreSQL's first process the others stay for a while.
    """

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]

    def __init__(self, *, layout: Layout, home: Home, programs: Programs, durable: bool) -> None:
        self.layout = layout
        self.home = home
        self.programs = programs
        self.durable = durable
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.home.folder / self.name

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def prepare(self) -> None:
        """Make the data folder when there is none, clear what a dead server left."""

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def answers(self) -> bool:
        """Tell whether the server takes requests now."""

    def settings_on_stdin(self) -> bytes:
        return b""

    @abstractmethod
    def complete(self) -> None:
        """Do what is left to do once the server answers for the first time."""

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the server and wait until it answers. Raises ServiceError with the reason."""
        self._check_space()
        held = self._take_over()
        try:
            self.prepare()
            self.process = self._launch(held)
        finally:
            os.close(held)
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if not self.alive():
                raise self._failure()
            if time.monotonic() > deadline:
                self.stop()
                raise ServiceError(
                    f"{self.name} did not answer within {START_SECONDS:.0f} seconds. Its log is "
                    f"{self.layout.log(self.name)}."
                )
            time.sleep(0.03)
        self.complete()

    def ask_to_stop(self) -> None:
        if self.process and self.alive():
            self.process.send_signal(self.stop_signal)

    def stop(self) -> None:
        """Stop the server cleanly, by force when it does not go."""
        self.ask_to_stop()
        for kind in (signal.SIGQUIT, signal.SIGKILL):
            if not self.process or not self.alive():
                break
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.send_signal(kind)
        if self.process:
            self.process.wait()

    def run_tool(self, command: list[str]) -> None:
        """Run a helper program of the server under its account, with its output in the log."""
        with self._open_log() as log:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._options()
            )
        if done.returncode:
            raise self._failure()

    def _launch(self, held: int) -> "subprocess.Popen[bytes]":
        with self._open_log() as log:
            process = subprocess.Popen(
                self.command(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=(held,),
                start_new_session=True,
                preexec_fn=die_with_parent(self.stop_signal, parent=os.getpid()),
                **self._options(),
            )
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(self.settings_on_stdin())
        pid = self.layout.books / f"{self.name}.pid"
        pid.write_text(f"{process.pid}\n")
        return process

    def _take_over(self) -> int:
        """Return the server's lock, held. What is left of an earlier server is asked to go."""
        path = self.layout.server_lock(self.name)
        for seconds, kind in ((2, None), (6, self.stop_signal), (7, signal.SIGKILL)):
            if kind is not None:
                self._signal_leftover(kind)
            held = lock.take(path, shared=False, seconds=LEFTOVER_SECONDS * seconds / 15)
            if held is not None:
                return held
        raise ServiceError(
            f"An earlier {self.name} still uses {self.data} and does not stop. Wait a little, or "
            "end it by hand, and try again."
        )

    def _signal_leftover(self, kind: signal.Signals) -> None:
        try:
            pid = int((self.layout.books / f"{self.name}.pid").read_text())
            if _program_of(pid) in (None, Path(self.command()[0]).name):
                os.kill(pid, kind)
        except (FileNotFoundError, ProcessLookupError, ValueError):
            return

    def _options(self) -> dict[str, Any]:
        return self.home.account.popen_options()

    def _open_log(self) -> BinaryIO:
        path = self.layout.log(self.name)
        too_long = path.exists() and path.stat().st_size > LOG_BYTES
        return path.open("wb" if too_long else "ab")

    def _check_space(self) -> None:
        if shutil.disk_usage(self.home.folder).free < NEEDED_BYTES:
            raise no_space(self.home.folder)

    def _failure(self) -> ServiceError:
        """Turn the end of the server's log into a sentence."""
        path = self.layout.log(self.name)
        tail = path.read_text(errors="replace").splitlines()[-15:]
        if any("No space left on device" in line for line in tail):
            return no_space(self.home.folder)
        telling = [line for line in tail if "FATAL" in line or "rror" in line] or tail
        said = telling[-1].strip().rstrip(".") if telling else "it said nothing"
        return ServiceError(f"{self.name} did not start ({said}). Its log is {path}.")


def _program_of(pid: int) -> str | None:
    """Return the name of a process's program; None where the system does not tell."""
    if not Path("/proc/self/exe").exists():
        return None
    return Path(os.readlink(f"/proc/{pid}/exe")).name
