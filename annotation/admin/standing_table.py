"""The rows of the page of standings: numbers as text, the interval as places on a line."""

from dataclasses import dataclass

from annotation.models import Standing
from annotation.proficiency.rule import Evidence, ProficiencyRule
from annotation.proficiency.standings import WorkerStanding
from annotation.proficiency.words import say_interval, say_needed, say_outlook, say_share

BADGES = {
    Standing.PROFICIENT: "good",
    Standing.NOT_PROFICIENT: "blocked",
    Standing.UNDECIDED: "waiting",
    Standing.WITHDREW: "quiet",
}
NONE = "–"


@dataclass(frozen=True)
class Interval:
    """A share, where it may lie and what is allowed, as places from 0 to 100."""

    low: str
    high: str
    share: str
    allowed: str
    words: str

    @classmethod
    def of(cls, evidence: Evidence, rule: ProficiencyRule) -> "Interval | None":
        share = evidence.rejected_share
        if share is None:
            return None
        low, high = evidence.interval
        return cls(
            low=_place(low),
            high=_place(high),
            share=_place(share),
            allowed=_place(float(rule.max_rejected_share)),
            words=say_interval(low, high),
        )


def _place(share: float) -> str:
    return f"{100 * share:.1f}"


@dataclass(frozen=True)
class Row:
    worker: WorkerStanding
    badge: str
    needed: str
    outlook: str
    share: str
    interval: Interval | None


def rows_of(workers: list[WorkerStanding], rule: ProficiencyRule, *, extra: int) -> list[Row]:
    return [
        Row(
            worker=worker,
            badge=BADGES[worker.standing],
            needed=say_needed(worker.evidence, rule),
            outlook=say_outlook(rule.look_ahead(worker.evidence, extra)) or NONE,
            share=say_share(worker.evidence.rejected_share),
            interval=Interval.of(worker.evidence, rule),
        )
        for worker in workers
    ]
