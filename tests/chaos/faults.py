"""What can be killed, and how."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from config.demo.programs import BEAT, WEB, WORKER
from tests.chaos import processes
from tests.chaos.site import Site


@dataclass
class Target:
    site: Site
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
        return self.site.commands.kill()

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


COMMAND = "a command"
Strike = Callable[[Target], bool]
# What is struck, by the kind asked for with --only; and how often in a deck.
FAULTS: dict[str, list[tuple[str, Strike, int]]] = {
    "web": [("a web process", Target.web_process, 7), ("all of web", Target.all_of_web, 2)],
    "worker": [
        ("a job process", Target.job_process, 5),
        ("the whole worker", Target.whole_worker, 1),
        ("beat", Target.beat, 1),
        (COMMAND, Target.command, 5),
    ],
    "broker": [("the broker", Target.broker, 5)],
    "database": [
        ("a database session", Target.database_session, 5),
        ("the database", Target.whole_database, 2),
    ],
    "all": [("everything", Target.everything, 1)],
}


class Deck:
    """Faults in random order, none left out for long: a new deck comes when one is used up."""

    def __init__(self, draw: random.Random, only: str | None) -> None:
        self.draw = draw
        self.faults = [fault for kind in ([only] if only else FAULTS) for fault in FAULTS[kind]]
        self.left: list[tuple[str, Strike]] = []

    def next(self) -> tuple[str, Strike]:
        if not self.left:
            self.left = [
                (name, strike) for name, strike, times in self.faults for _time in range(times)
            ]
            self.draw.shuffle(self.left)
        return self.left.pop(0)

    def put_back(self, name: str, strike: Strike) -> None:
        self.left.append((name, strike))
