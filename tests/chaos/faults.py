"""What can be killed, and how."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from config.demo.programs import BEAT, WEB, WORKER
from tests.chaos import processes
from tests.chaos.researcher import Researcher
from tests.chaos.site import Site


@dataclass
class Target:
    site: Site
    researcher: Researcher
    draw: random.Random

    def web_process(self) -> bool:
        return self._one_child(self.site.program(WEB))

    def all_of_web(self) -> bool:
        return self._group(WEB)

    def job_process(self) -> bool:
        return self._one_child(self.site.program(WORKER))

    def whole_worker(self) -> bool:
        return self._group(WORKER)

    def beat(self) -> bool:
        return self._group(BEAT)

    def command(self) -> bool:
        return self.researcher.kill_command()

    def broker(self) -> bool:
        return self._first(self.site.server("valkey"))

    def database_session(self) -> bool:
        """One session: PostgreSQL then ends all others and recovers from its log."""
        return self._one_child(self.site.server("postgres"), "postgres: fabula ")

    def whole_database(self) -> bool:
        return self._first(self.site.server("postgres"))

    def everything(self) -> bool:
        """As when the power goes: programs, servers, now and then the owner of the servers."""
        owner = self.site.owner() if self.draw.random() < 0.5 else None
        servers = [self.site.server("postgres"), self.site.server("valkey"), owner]
        struck = [self._group(name) for name in (WEB, WORKER, BEAT)]
        struck += [self._first(pid) for pid in servers]
        struck.append(self.command())
        return any(struck)

    def _first(self, pid: int | None) -> bool:
        return pid is not None and processes.kill(pid)

    def _group(self, name: str) -> bool:
        pid = self.site.program(name)
        return pid is not None and processes.kill_group(pid)

    def _one_child(self, pid: int | None, named: str = "") -> bool:
        found = [] if pid is None else processes.children_of(pid)
        chosen = [one for one in found if named in processes.command_of(one)]
        return bool(chosen) and processes.kill(self.draw.choice(chosen))


Strike = Callable[[Target], bool]
# What is struck, by the kind asked for with --only; and how often, compared with the others.
FAULTS: dict[str, list[tuple[str, Strike, int]]] = {
    "web": [("a web process", Target.web_process, 7), ("all of web", Target.all_of_web, 2)],
    "worker": [
        ("a job process", Target.job_process, 5),
        ("the whole worker", Target.whole_worker, 1),
        ("beat", Target.beat, 1),
        ("a command", Target.command, 5),
    ],
    "broker": [("the broker", Target.broker, 5)],
    "database": [
        ("a database session", Target.database_session, 5),
        ("the database", Target.whole_database, 2),
    ],
    "all": [("everything", Target.everything, 1)],
}


def choices(only: str | None) -> list[tuple[str, Strike, int]]:
    kinds = [only] if only else list(FAULTS)
    return [fault for kind in kinds for fault in FAULTS[kind]]
