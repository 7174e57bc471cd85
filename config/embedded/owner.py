"""The process that owns the servers: detached, one for a data folder, gone with the last user.

It keeps no data. When it is killed, the kernel asks the servers to stop, and the next user starts
another owner, which waits for them to be gone.
"""

import os
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType

from config.embedded import lock
from config.embedded.errors import ServiceError, explain_os_error
from config.embedded.home import Home, find_home
from config.embedded.layout import Layout
from config.embedded.postgres import Postgres
from config.embedded.programs import find_programs
from config.embedded.server import Server
from config.embedded.state import ServerState, now, write_state
from config.embedded.valkey import Valkey

TICK = 0.1
RETRY_SECONDS = 2.0
SERVERS: tuple[type[Server], ...] = (Valkey, Postgres)


class Owner:
    """Starts what users want, starts again what died, stops everything after the last user."""

    def __init__(self, *, layout: Layout, durable: bool) -> None:
        self.layout = layout
        self.durable = durable
        self.users = lock.open_lock(layout.users_lock)
        self.home: Home | None = None
        self.servers: dict[str, Server] = {}
        self.states: dict[str, ServerState] = {}
        self.stopping = False

    def run(self) -> None:
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, self._ask_to_stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            while not self._is_over():
                self._tend()
                time.sleep(TICK)
        finally:
            self._stop()

    def _is_over(self) -> bool:
        """Tell whether nobody uses the servers any more, or their folder was taken away."""
        if self.stopping or not lock.is_current(self.users, self.layout.users_lock):
            return True
        return lock.try_exclusive(self.users)

    def _tend(self) -> None:
        for kind in SERVERS:
            name = kind.name
            server = self.servers.get(name)
            if not self.layout.wanted(name).exists() or (server and server.alive()):
                continue
            state = self.states.get(name)
            if state and state.state == "failed" and now() < state.at + RETRY_SECONDS:
                continue
            self._start(kind)

    def _start(self, kind: type[Server]) -> None:
        self._tell(kind.name, ServerState("starting", at=now()))
        try:
            server = self._server(kind)
            server.start()
        except ServiceError as error:
            self._tell(kind.name, ServerState("failed", message=str(error), at=now()))
        except OSError as error:
            traceback.print_exc()
            message = str(explain_os_error(error, self.layout.var))
            self._tell(kind.name, ServerState("failed", message=message, at=now()))
        else:
            self._tell(kind.name, ServerState("ready", url=server.url, at=now()))

    def _server(self, kind: type[Server]) -> Server:
        if self.home is None:
            self.home = find_home(self.layout)
        if kind.name not in self.servers:
            programs = find_programs(self.home.account, self.home.folder)
            self.servers[kind.name] = kind(
                layout=self.layout, home=self.home, programs=programs, durable=self.durable
            )
        return self.servers[kind.name]

    def _tell(self, name: str, state: ServerState) -> None:
        self.states[name] = state
        write_state(self.layout, self.states, self.home.notice if self.home else "")

    def _stop(self) -> None:
        for server in self.servers.values():
            server.ask_to_stop()
        for server in self.servers.values():
            server.stop()
        if lock.try_exclusive(self.users):
            for kind in SERVERS:
                self.layout.wanted(kind.name).unlink(missing_ok=True)
        self.layout.state.unlink(missing_ok=True)
        if self.home is not None:
            shutil.rmtree(self.home.sockets, ignore_errors=True)

    def _ask_to_stop(self, signum: int, frame: FrameType | None) -> None:
        self.stopping = True


def main(arguments: list[str]) -> None:
    """Own the servers of a data folder. The caller hands over the owner's lock, already held."""
    folder, held, durable = arguments
    os.set_inheritable(int(held), False)
    os.chdir("/")
    Owner(layout=Layout(Path(folder)), durable=durable == "durable").run()


if __name__ == "__main__":
    main(sys.argv[1:])
