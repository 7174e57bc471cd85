"""Using the services: join them, hold them while this process lives, leave them."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from types import TracebackType

from config.embedded import lock
from config.embedded.errors import ServiceError, explain_os_error, no_space
from config.embedded.layout import BASE_DIR, Layout, data_folder
from config.embedded.postgres import postgres_answers
from config.embedded.state import now, read_state
from config.embedded.valkey import valkey_answers

# An owner that is stopping holds the users' lock until its servers are down.
LEAVING_SECONDS = 60.0
READY_SECONDS = 180.0
OWNER_TRIES = 3
NEEDED_BYTES = 1024 * 1024

VARIABLES = {"postgres": "DATABASE_URL", "valkey": "REDIS_URL"}
ANSWERS: dict[str, Callable[[str], bool]] = {
    "postgres": postgres_answers,
    "valkey": valkey_answers,
}
# Forks at once, so that the owner is nobody's child and the starter need not wait for its imports.
DETACH = (
    "import os, sys\n"
    "if os.fork(): os._exit(0)\n"
    "from config.embedded import owner\n"
    "owner.main(sys.argv[1:])\n"
)


class Services:
    """The embedded services in use by this process; a context manager.

    They stay up as long as one user does. A user that is killed leaves too: the kernel drops its
    lock. `urls` holds the addresses by variable name; what was set before is not in it.
    """

    def __init__(self, *, durable: bool = True) -> None:
        self.layout = Layout(data_folder())
        self.durable = durable
        self.urls: dict[str, str] = {}
        self.notice = ""
        self._held: int | None = None
        self._owners_started = 0

    def join(self) -> None:
        """Start or join what the environment does not name, and put the addresses into it.

        Raises ServiceError with a sentence for the person at the terminal.
        """
        wanted = [
            name for name, variable in VARIABLES.items() if not os.environ.get(variable, "").strip()
        ]
        if not wanted:
            return
        try:
            self._join(wanted)
        except OSError as error:
            self.leave()
            raise explain_os_error(error, self.layout.var) from error
        except BaseException:
            self.leave()
            raise
        os.environ.update(self.urls)

    def leave(self) -> None:
        """Let go of the services and take their addresses out of the environment."""
        for variable, url in self.urls.items():
            if os.environ.get(variable) == url:
                del os.environ[variable]
        self.urls = {}
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def keep(self) -> None:
        """See that an owner is there: a long-lived user calls this now and then."""
        if self._held is not None:
            # What became of owners long ago says nothing about this one.
            self._owners_started = 0
            self._ensure_owner([name for name, var in VARIABLES.items() if var in self.urls])

    def __enter__(self) -> "Services":
        self.join()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()

    def _join(self, wanted: list[str]) -> None:
        self.layout.make()
        self._held = lock.take(self.layout.users_lock, shared=True, seconds=LEAVING_SECONDS)
        if self._held is None:
            raise ServiceError(
                f"Earlier services in {self.layout.var} are still stopping. Try again in a minute."
            )
        self._wait_for(wanted)

    def _wait_for(self, wanted: list[str]) -> None:
        started = now()
        deadline = time.monotonic() + READY_SECONDS
        missing = list(wanted)
        while missing:
            self._ensure_owner(wanted)
            states, notice = read_state(self.layout)
            for name in list(missing):
                state = states.get(name)
                if state and state.state == "failed" and state.at >= started:
                    raise ServiceError(state.message)
                if state and state.state == "ready" and ANSWERS[name](state.url):
                    self.urls[VARIABLES[name]] = state.url
                    missing.remove(name)
            if missing and time.monotonic() > deadline:
                raise ServiceError(
                    f"{' and '.join(missing)} did not come up within {READY_SECONDS:.0f} seconds. "
                    f"The logs are in {self.layout.books}."
                )
            if missing:
                time.sleep(0.03)
            elif self._owners_started:
                self.notice = notice

    def _ensure_owner(self, wanted: list[str]) -> None:
        """Start an owner when there is none. It inherits its lock, so there is never a second."""
        for name in wanted:
            self.layout.wanted(name).touch()
        held = lock.open_lock(self.layout.owner_lock)
        try:
            if lock.try_exclusive(held):
                self._start_owner(held)
        finally:
            os.close(held)

    def _start_owner(self, held: int) -> None:
        log = self.layout.log("owner")
        if shutil.disk_usage(self.layout.var).free < NEEDED_BYTES:
            raise no_space(self.layout.var)
        if self._owners_started == OWNER_TRIES:
            raise ServiceError(f"The process that starts the services fails. Its log is {log}.")
        self._owners_started += 1
        self.layout.state.unlink(missing_ok=True)
        arguments = [str(self.layout.var), str(held), "durable" if self.durable else "fast"]
        path = os.pathsep.join(filter(None, [str(BASE_DIR), os.environ.get("PYTHONPATH")]))
        with log.open("wb") as output:
            subprocess.Popen(
                [sys.executable, "-c", DETACH, *arguments],
                cwd=BASE_DIR,
                env=os.environ | {"PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(held,),
                start_new_session=True,
            ).wait()


def join(*, durable: bool = True) -> Services:
    """Join the services for as long as the returned object is kept (or use it with `with`)."""
    services = Services(durable=durable)
    services.join()
    if services.notice:
        print(services.notice, file=sys.stderr)
    return services
