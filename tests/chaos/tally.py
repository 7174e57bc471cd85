"""What a run did: faults, work, interruptions; and whether it was enough to mean something."""

from collections import Counter
from dataclasses import dataclass, field

from tests.chaos import invariants
from tests.chaos.aim import OPERATIONS
from tests.chaos.promises import Promises
from tests.chaos.site import Site

# For each fault at least so much must have been acknowledged.
WORK = {
    "accept": 0.3,
    "draft": 0.5,
    "submit": 0.2,
    "send": 0.2,
    "publish": 0.04,
    "import": 0.04,
    "export": 0.04,
}
# Out of so many faults, each victim must have been struck and each operation under way once.
ONCE_IN = 50
# And a job must have been taken up again, which only a strike that hits one brings about.
TAKEN_UP_ONCE_IN = 200


@dataclass
class Tally:
    promises: Promises
    struck: Counter[str] = field(default_factory=Counter)
    during: Counter[str] = field(default_factory=Counter)
    looks: int = 0
    restarts: int = 0
    confirmed: int = 0
    resumed: int = 0
    longest_outage: float = 0.0
    rest_seconds: float = 0.0

    @property
    def faults(self) -> int:
        return self.struck.total()

    def count(self, fault: str, under_way: set[str]) -> None:
        self.struck[fault] += 1
        self.during.update(under_way)

    def ask(self, site: Site) -> None:
        """What only the rows tell."""
        self.confirmed, self.resumed = site.query(
            "SELECT (SELECT count(*) FROM studies_response WHERE state = 'confirmed'), "
            "(SELECT count(*) FROM studies_job WHERE attempts > 1)"
        )[0]

    def so_far(self) -> str:
        done = self.promises.done
        return f"{done['submit']} submitted, {done.total()} acknowledged"

    def lines(self) -> list[str]:
        done, retried = self.promises.done, self.promises.retried
        lines = [f"{self.faults} faults:"]
        lines += [f"  {count:5}  {name}" for name, count in self.struck.most_common()]
        lines.append("struck while this was under way:")
        lines += [f"  {self.during[name]:5}  {name}" for name in OPERATIONS]
        lines.append(f"{done.total()} operations acknowledged (and how often repeated):")
        lines += [
            f"  {done[what]:5}  {what} ({retried[what]})" for what in sorted({*done, *retried})
        ]
        number = len(invariants.ALWAYS) + len(invariants.REST)
        return [
            *lines,
            f"{self.confirmed} responses confirmed; {self.resumed} jobs finished by another",
            f"{number} invariants; all rows and promises looked at {self.looks} times",
            f"{self.restarts} programs started again",
            f"longest time until ready again: {self.longest_outage:.1f} s",
            f"at rest {self.rest_seconds:.0f} s after the last request",
        ]


def undone(tally: Tally, faults: int) -> dict[str, int]:
    """The operations that a run means nothing without, and how many of each were done."""
    done = tally.promises.done
    return {name: done[name] for name, share in WORK.items() if done[name] < share * faults}


def too_little(tally: Tally, faults: int, victims: list[str]) -> list[str]:
    """What a run that means something would have struck more often."""
    least = faults // ONCE_IN
    return [
        *(
            f"{name}: struck {tally.struck[name]} times"
            for name in victims
            if tally.struck[name] < least
        ),
        *(
            f"{name}: under way at {tally.during[name]} strikes"
            for name in OPERATIONS
            if tally.during[name] < least
        ),
        *(
            [f"{tally.resumed} jobs were taken up again"]
            if tally.resumed < faults // TAKEN_UP_ONCE_IN
            else []
        ),
        *([f"{tally.confirmed} confirmed"] if tally.confirmed < len(tally.promises.sent) else []),
    ]
