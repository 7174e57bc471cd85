"""Where each worker of a study stands, from what experts have settled so far."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Decision, ReviewPlan, Standing
from annotation.proficiency.rule import Evidence
from annotation.review.outcome import Settled
from annotation.review.outcomes import evidence_by_participant
from annotation.review.plans import proficiency_rule
from database.prepared import prebuilt
from studies.models import Participant, Study
from studies.withdrawn import WITHDRAWN


@dataclass(frozen=True)
class WorkerStanding:
    """`standing` is what the rule says now, `decided` what was last written down."""

    participant: Participant
    evidence: Evidence
    standing: Standing
    decided: Decision | None

    @property
    def is_written(self) -> bool:
        return self.decided is not None and (
            (self.decided.standing, self.decided.evidence)
            == (self.standing, self.evidence.as_dict())
        )


def plan_of(study: Study) -> ReviewPlan | None:
    """The study's plan as it is; looking makes none."""
    try:
        return study.review_plan
    except ReviewPlan.DoesNotExist:
        return None


def standings_of(
    study: Study, settled: Mapping[int, Settled] | None = None
) -> list[WorkerStanding]:
    """Every worker with a response under review or an earlier decision; most responses first.

    Empty while the study has no review plan.
    """
    plan = plan_of(study)
    if plan is None:
        return []
    rule, known, decided = (
        proficiency_rule(plan),
        evidence_by_participant(plan, settled),
        latest_of(study),
    )
    gone = _who_withdrew(decided.keys() - known.keys())
    found = [
        WorkerStanding(
            participant=participant,
            evidence=(evidence := known.get(participant.pk) or _nothing(participant.pk in gone)),
            standing=rule.judge(evidence),
            decided=decided.get(participant.pk),
        )
        for participant in _participants(study=study.pk)
        if participant.pk in known or participant.pk in decided
    ]
    return sorted(found, key=lambda worker: -worker.evidence.submitted)


def _nothing(withdrew: bool) -> Evidence:
    return Evidence(submitted=0, required=0, reviewed=0, rejected=0, withdrew=withdrew)


def _who_withdrew(participants: Collection[int]) -> set[int]:
    """Of these, of whom nothing counts."""
    if not participants:
        return set()
    of_whom = "response__assignment__participant"
    return set(WITHDRAWN.filter(**{f"{of_whom}__in": participants}).values_list(of_whom, flat=True))


def listed(standings: Collection[Standing]) -> list[Standing]:
    """Those that a summary counts: *withdrew* only where somebody did."""
    return [one for one in Standing if one != Standing.WITHDREW or one in standings]


def latest_of(study: Study) -> dict[int, Decision]:
    """The last decision on each worker of the study."""
    return {decision.participant_id: decision for decision in _latest(study=study.pk)}


@prebuilt
def _latest(*, study: int) -> QuerySet[Decision]:
    decisions = Decision.objects.filter(participant__study=study)
    return decisions.order_by("participant_id", "-pk").distinct("participant_id")


@prebuilt
def _participants(*, study: int) -> QuerySet[Participant]:
    return Participant.objects.filter(study=study).order_by("pseudonym")


def described(worker: WorkerStanding) -> dict[str, Any]:
    """The numbers of a worker's standing, as commands and the API give them."""
    evidence = worker.evidence
    return {
        "pseudonym": worker.participant.pseudonym,
        "n": evidence.submitted,
        "e": evidence.required,
        "reviewed": evidence.reviewed,
        "rejected": evidence.rejected,
        "rate": evidence.rejected_share,
        "interval": list(evidence.interval),
        "standing": worker.standing.value,
    }
