"""One run: people at work, strikes, rest, questions."""

import random
import time

from tests.chaos import invariants
from tests.chaos.aim import COMMANDS, OPERATIONS, Aim
from tests.chaos.faults import COMMAND, Deck, Target
from tests.chaos.outages import Outages
from tests.chaos.patience import Patience
from tests.chaos.promises import Promises, broken_promises, unconfirmed
from tests.chaos.researcher import Researcher, broken_exports
from tests.chaos.site import Site
from tests.chaos.tally import Tally, too_little, undone
from tests.chaos.workers import Worker

WORKERS = 5
# Strikes in quick succession; then the site comes back and people get some answers; now and then
# a look at all rows.
BURST = (2, 7)
ANSWERS = (1, 8)
LOOK_EVERY = 25
# Without any sign of progress.
PATIENCE_SECONDS = 240.0
# What minutes without a sign of life do: the leases that a killed process held have lapsed.
LAPSE = (
    "UPDATE studies_job SET lease_until = now() WHERE lease_until IS NOT NULL",
    "UPDATE marketplace_notificationdestination SET next_attempt_at = now()",
    "UPDATE marketplace_notification SET next_attempt_at = now() WHERE delivered_at IS NULL",
)


class Broken(Exception):
    """An invariant or a promise does not hold."""


class Run:
    def __init__(self, site: Site, *, count: int, seed: int, only: str | None, hurry: bool) -> None:
        self.site = site
        self.count = count
        self.hurry = hurry
        self.draw = random.Random(seed)
        self.promises = Promises()
        self.researcher = Researcher(site, self.promises, seed)
        self.target = Target(site, self.draw)
        self.deck = Deck(self.draw, only)
        self.aim = Aim(site, self.promises, self.researcher, self.draw)
        self.outages = Outages(site)
        self.tally = Tally(self.promises)

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
        while (left := self.count - self.tally.faults) > 0:
            for _time in range(min(left, self.draw.randint(*BURST))):
                self._strike()
            self.site.wait_until_ready()
            self._wait_for_answers(self.draw.randint(*ANSWERS))
            if self.tally.faults >= looked + LOOK_EVERY:
                looked = self.tally.faults
                self._look()
                print(f"  {looked} of {self.count} faults; {self.tally.so_far()}", flush=True)
        self._wait_for_enough()
        self._leave(crowd)
        self._rest()
        self._look()
        self.outages.ending.set()
        self.tally.longest_outage = self.outages.longest
        self.tally.restarts = self.site.restarts
        self.tally.ask(self.site)
        if lacking := too_little(self.tally, self.count, [name for name, *_ in self.deck.faults]):
            raise Broken("\n".join(lacking))

    def _strike(self) -> None:
        patience = Patience(PATIENCE_SECONDS)
        while not patience.is_over(self.promises.done.total()):
            name, strike = self.deck.next()
            self.aim.wait_for(self.draw.choice(COMMANDS if name == COMMAND else OPERATIONS))
            under_way = {one for one in OPERATIONS if self.aim.is_under_way(one)}
            if strike(self.target):
                self.tally.count(name, under_way)
                return
            self.deck.put_back(name, strike)
        raise Broken(f"nothing was left to strike\n{self.site.logs()}")

    def _wait_for_answers(self, count: int) -> None:
        patience = Patience(PATIENCE_SECONDS)
        enough = self.promises.done.total() + count
        while (done := self.promises.done.total()) < enough and not self.promises.broken:
            if patience.is_over(done):
                raise Broken(f"nobody gets anything done\n{self.site.logs()}")
            time.sleep(0.02)

    def _wait_for_enough(self) -> None:
        """Machines differ in how much is done between two strikes."""
        patience = Patience(PATIENCE_SECONDS)
        while lacking := undone(self.tally, self.count):
            if patience.is_over(lacking):
                raise Broken(f"no more than this gets done: {lacking}\n{self.site.logs()}")
            self.researcher.wish(self.draw.choice(list(lacking)))
            time.sleep(0.1)

    def _look(self) -> None:
        found = invariants.broken(self.site, invariants.ALWAYS)
        kept = [*broken_promises(self.site, self.promises), *self.promises.broken]
        kept += [*broken_exports(self.promises, self.researcher.folder), *self.site.mistakes()]
        self.tally.looks += 1
        if found or kept:
            lines = [f"{name}: {rows}" for name, rows in found.items()] + kept[:20]
            raise Broken("\n".join(lines))

    def _leave(self, crowd: list[Worker]) -> None:
        """Everybody finishes what they hold."""
        people: list[Worker | Researcher] = [*crowd, self.researcher]
        for person in people:
            person.stopping.set()
        patience = Patience(PATIENCE_SECONDS)
        while staying := [person.name for person in people if person.is_alive()]:
            if patience.is_over((staying, self.promises.done.total())):
                raise Broken(f"{', '.join(staying)} cannot finish\n{self.site.logs()}")
            time.sleep(0.05)
        self.researcher.resume_all()

    def _rest(self) -> None:
        """Wait until nothing is left to do, and see that nobody had to do it."""
        began = time.monotonic()
        self._look()
        patience = Patience(PATIENCE_SECONDS)
        if self.hurry:
            for statement in LAPSE:
                self.site.query(statement)
        while waiting := self._unrest():
            if patience.is_over({name: [row[0] for row in rows] for name, rows in waiting.items()}):
                lines = "\n".join(f"{name}: {rows}" for name, rows in waiting.items())
                raise Broken(f"never at rest: {lines}\n{self.site.logs()}")
            time.sleep(0.2)
        self.tally.rest_seconds = time.monotonic() - began

    def _unrest(self) -> invariants.Rows:
        found = invariants.broken(self.site, invariants.REST)
        if waiting := unconfirmed(self.site, self.promises):
            found["what was sent with thanks is confirmed"] = [(line,) for line in waiting[:5]]
        return found
