"""One run: people at work, strikes, rest, questions."""

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import psycopg2

from tests.chaos import faults, invariants
from tests.chaos.promises import Promises, broken_promises, unconfirmed
from tests.chaos.researcher import Researcher, broken_exports
from tests.chaos.site import Site
from tests.chaos.workers import Worker

WORKERS = 5
# Strikes in quick succession; then the site comes back and people get something done; now and then
# a look at all rows.
BURST = (2, 6)
PAUSES = (0.02, 0.6)
WORK = (0.3, 2.0)
LOOK_EVERY = 25
LEAVING_SECONDS = 240.0
REST_SECONDS = 420.0
# What minutes without a sign of life do: the leases that a killed process held have lapsed.
LAPSE = (
    "UPDATE studies_job SET lease_until = now() WHERE lease_until IS NOT NULL",
    "UPDATE marketplace_notificationdestination SET next_attempt_at = now()",
    "UPDATE marketplace_notification SET next_attempt_at = now() WHERE delivered_at IS NULL",
)


class Broken(Exception):
    """An invariant or a promise does not hold."""


@dataclass
class Outages(threading.Thread):
    """Watches how long the site is not ready."""

    site: Site
    longest: float = 0.0
    ending: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        threading.Thread.__init__(self, daemon=True)

    def run(self) -> None:
        ready_at = time.monotonic()
        while not self.ending.wait(0.1):
            now = time.monotonic()
            if self.site.is_ready():
                self.longest = max(self.longest, now - ready_at)
                ready_at = time.monotonic()

    __hash__ = threading.Thread.__hash__


class Run:
    def __init__(self, site: Site, *, count: int, seed: int, only: str | None, hurry: bool) -> None:
        self.site = site
        self.count = count
        self.hurry = hurry
        self.draw = random.Random(seed)
        self.promises = Promises()
        self.researcher = Researcher(site, self.promises, seed)
        self.target = faults.Target(site, self.researcher, self.draw)
        self.choices = faults.choices(only)
        self.struck: Counter[str] = Counter()
        self.outages = Outages(site)
        self.rest_seconds = 0.0

    def run(self) -> None:
        """Raises Broken."""
        self.researcher.set_up()
        invitation = self.site.manage("create_invitation", "Crowd").strip()
        crowd = [Worker(self.site, self.promises, number) for number in range(WORKERS)]
        for worker in crowd:
            worker.browser.join(invitation, worker.name)
        for person in (*crowd, self.researcher, self.outages):
            person.start()
        looked = 0
        while (left := self.count - self.struck.total()) > 0:
            self._strike(min(left, self.draw.randint(*BURST)))
            self.site.wait_until_ready()
            time.sleep(self.draw.uniform(*WORK))
            if self.struck.total() >= looked + LOOK_EVERY:
                looked = self.struck.total()
                self._look()
                print(f"  {looked} of {self.count} faults; {self._so_far()}", flush=True)
        self._leave(crowd)
        self._rest()
        self._look()
        self.outages.ending.set()

    def _so_far(self) -> str:
        done = self.promises.done
        return f"{done['submit']} submitted, {done.total()} acknowledged"

    def _strike(self, times: int) -> None:
        names = {name: (strike, weight) for name, strike, weight in self.choices}
        end = time.monotonic() + LEAVING_SECONDS
        while times and time.monotonic() < end:
            time.sleep(self.draw.uniform(*PAUSES))
            weights = [weight for _strike, weight in names.values()]
            name = self.draw.choices(list(names), weights)[0]
            if names[name][0](self.target):
                self.struck[name] += 1
                times -= 1
        if times:
            raise Broken(f"nothing was left to strike\n{self.site.logs()}")

    def _look(self) -> None:
        found = invariants.broken(self.site, invariants.ALWAYS)
        kept = [*broken_promises(self.site, self.promises), *self.promises.broken]
        kept += broken_exports(self.promises, self.researcher.folder)
        if found or kept:
            lines = [f"{name}: {rows}" for name, rows in found.items()] + kept[:20]
            raise Broken("\n".join(lines))

    def _leave(self, crowd: list[Worker]) -> None:
        """Everybody finishes what they hold."""
        people: list[Worker | Researcher] = [*crowd, self.researcher]
        for person in people:
            person.stopping.set()
        deadline = time.monotonic() + LEAVING_SECONDS
        for person in people:
            person.join(max(0.1, deadline - time.monotonic()))
            if person.is_alive():
                raise Broken(f"{person.name} cannot finish\n{self.site.logs()}")
        self.researcher.resume_all()

    def _rest(self) -> None:
        """Wait until nothing is left to do, and see that nobody had to do it."""
        began = time.monotonic()
        if self.hurry:
            for statement in LAPSE:
                self.site.query(statement)
        while waiting := self._unrest():
            if time.monotonic() > began + REST_SECONDS:
                raise Broken("\n".join(f"never at rest: {line}" for line in waiting))
            time.sleep(0.5)
        self.rest_seconds = time.monotonic() - began

    def _unrest(self) -> list[str]:
        try:
            found = invariants.broken(self.site, invariants.REST)
            waiting = unconfirmed(self.site, self.promises)
        except psycopg2.Error as error:
            return [str(error)]
        return [f"{name}: {rows}" for name, rows in found.items()] + waiting[:5]

    def summary(self) -> str:
        promises = self.promises
        lines = [f"{self.struck.total()} faults:"]
        lines += [f"  {count:5}  {name}" for name, count in self.struck.most_common()]
        lines.append(f"{promises.done.total()} operations acknowledged (and how often repeated):")
        for what in sorted({*promises.done, *promises.retried}):
            lines.append(f"  {promises.done[what]:5}  {what} ({promises.retried[what]})")
        lines.append(f"{self.site.restarts} programs started again")
        lines.append(f"longest time until ready again: {self.outages.longest:.1f} s")
        lines.append(f"at rest {self.rest_seconds:.0f} s after the last request")
        return "\n".join(lines)
