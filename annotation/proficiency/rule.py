"""Who is proficient: a pure rule over what is known of a worker."""

from dataclasses import dataclass, replace
from decimal import Decimal

from annotation.models import Standing
from stats.intervals import wilson_interval


@dataclass(frozen=True)
class Evidence:
    """Of one worker, over the rounds under review.

    `submitted` contributions, of which experts must judge `required` and have settled `reviewed`,
    `rejected` of them. Of what is missing, `disputed` have been judged, and differently.
    Who `withdrew` took back all there was.
    """

    submitted: int
    required: int
    reviewed: int
    rejected: int
    disputed: int = 0
    withdrew: bool = False

    def as_dict(self) -> dict[str, int]:
        """What a standing is decided by: a dispute changes none until it is settled."""
        return {
            "submitted": self.submitted,
            "required": self.required,
            "reviewed": self.reviewed,
            "rejected": self.rejected,
        }

    @property
    def missing(self) -> int:
        return max(0, self.required - self.reviewed)

    @property
    def rejected_share(self) -> float | None:
        return self.rejected / self.reviewed if self.reviewed else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share rejected."""
        return wilson_interval(self.rejected, self.reviewed)


@dataclass(frozen=True)
class ProficiencyRule:
    """At least `min_responses`, and at most `max_rejected_share` rejected of a complete sample."""

    min_responses: int = 50
    max_rejected_share: Decimal = Decimal("0.2")

    def judge(self, evidence: Evidence) -> Standing:
        """Undecided until the sample is complete. Too few responses: not proficient as yet."""
        if evidence.withdrew:
            return Standing.WITHDREW
        if evidence.missing:
            return Standing.UNDECIDED
        if evidence.submitted < self.min_responses or not evidence.reviewed:
            return Standing.NOT_PROFICIENT
        allowed = self.max_rejected_share * evidence.reviewed
        return Standing.PROFICIENT if evidence.rejected <= allowed else Standing.NOT_PROFICIENT

    def look_ahead(self, evidence: Evidence, more: int) -> "Outlook":
        """What `more` further reviews can come to, or as many as there are responses left."""
        more = min(more, evidence.submitted - evidence.reviewed)
        standings = [
            self.judge(
                replace(
                    evidence,
                    reviewed=evidence.reviewed + more,
                    rejected=evidence.rejected + rejected,
                )
            )
            for rejected in range(more + 1)
        ]
        passing = [n for n, standing in enumerate(standings) if standing == Standing.PROFICIENT]
        return Outlook(more, frozenset(standings), max(passing, default=None))


@dataclass(frozen=True)
class Outlook:
    """The standings that `more` reviews can lead to; proficient with `most_rejected` at most."""

    more: int
    possible: frozenset[Standing]
    most_rejected: int | None
