"""What applying the standings would change: worked out first, shown, then done."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal

from annotation.models import ReviewPlan, Standing
from annotation.proficiency.standings import WorkerStanding, plan_of, standings_of
from annotation.review.counted import counted_contributions
from annotation.review.outcome import Outcome, Settled
from annotation.review.outcomes import settled_by_contribution
from studies.models import Assignment, AssignmentState, ContributionStatus, ResponseState, Study
from studies.services.fees import cost_usd

# Who holds the qualification no longer.
LOSING = (Standing.NOT_PROFICIENT, Standing.WITHDREW)


@dataclass(frozen=True)
class WorkerChange:
    """The contributions whose status changes, and the assignments to approve, by their ids."""

    worker: WorkerStanding
    accept: tuple[int, ...]
    reject: tuple[int, ...]
    approve: tuple[int, ...]
    cost_usd: Decimal

    @property
    def grants(self) -> bool:
        is_proficient = self.worker.standing == Standing.PROFICIENT
        return is_proficient and self.worker.participant.qualified_at is None

    @property
    def withdraws(self) -> bool:
        return self.worker.standing in LOSING and self.worker.participant.qualified_at is not None

    @property
    def to_tell(self) -> int:
        """How much of it the marketplace has to be told."""
        return self.grants + self.withdraws + len(self.approve)


@dataclass(frozen=True)
class Foreseen:
    """The changes of all workers, counted. The cost is with the marketplace's fee."""

    written: int
    granted: int
    withdrawn: int
    accepted: int
    rejected: int
    approved: int
    cost_usd: Decimal

    @property
    def is_nothing(self) -> bool:
        return not any(asdict(self).values())


def consequence(standing: Standing, outcome: Outcome) -> ContributionStatus | None:
    """What becomes of a contribution; None: it stays as it is, as every disputed one does."""
    if standing == Standing.UNDECIDED or outcome == Outcome.DISPUTED:
        return None
    if standing == Standing.PROFICIENT:
        wrong = outcome == Outcome.REJECTED
        return ContributionStatus.REJECTED if wrong else ContributionStatus.ACCEPTED
    right = outcome == Outcome.CORRECT
    return ContributionStatus.ACCEPTED if right else ContributionStatus.REJECTED


def foresee(changes: Iterable[WorkerChange]) -> Foreseen:
    listed = list(changes)
    return Foreseen(
        written=sum(not change.worker.is_written for change in listed),
        granted=sum(change.grants for change in listed),
        withdrawn=sum(change.withdraws for change in listed),
        accepted=sum(len(change.accept) for change in listed),
        rejected=sum(len(change.reject) for change in listed),
        approved=sum(len(change.approve) for change in listed),
        cost_usd=sum((change.cost_usd for change in listed), Decimal(0)),
    )


def changes_of(study: Study) -> list[WorkerChange]:
    """One for each worker, in a bounded number of queries."""
    plan = plan_of(study)
    if plan is None:
        return []
    settled = settled_by_contribution(plan)
    workers = standings_of(study, settled)
    statuses = _changed_statuses(plan, settled, {w.participant.pk: w.standing for w in workers})
    payable = _approvable(plan)
    return [_change_of(worker, statuses, payable) for worker in workers]


Statuses = dict[tuple[int, ContributionStatus], list[int]]
Payable = dict[int, list[tuple[int, Decimal]]]


def _change_of(worker: WorkerStanding, statuses: Statuses, payable: Payable) -> WorkerChange:
    participant = worker.participant.pk
    is_decided = worker.standing != Standing.UNDECIDED
    approve = payable.get(participant, []) if is_decided else []
    return WorkerChange(
        worker=worker,
        accept=tuple(statuses.get((participant, ContributionStatus.ACCEPTED), ())),
        reject=tuple(statuses.get((participant, ContributionStatus.REJECTED), ())),
        approve=tuple(pk for pk, _reward in approve),
        cost_usd=sum((cost_usd(reward) for _pk, reward in approve), Decimal(0)),
    )


def _changed_statuses(
    plan: ReviewPlan, settled: dict[int, Settled], standings: dict[int, Standing]
) -> Statuses:
    found: Statuses = defaultdict(list)
    rows = counted_contributions(plan).order_by("pk")
    for pk, participant, status in rows.values_list(
        "pk", "response__assignment__participant", "status"
    ):
        outcome = settled[pk].outcome if pk in settled else Outcome.OPEN
        # A worker's first response may have been confirmed since the standings were read.
        wanted = consequence(standings.get(participant, Standing.UNDECIDED), outcome)
        if wanted is not None and wanted != status:
            found[participant, wanted].append(pk)
    return found


def _approvable(plan: ReviewPlan) -> Payable:
    """By participant: confirmed, undecided assignments with what each pays."""
    rows = Assignment.objects.filter(
        task__round__in=plan.rounds.all(),
        task__round__past=False,
        state=AssignmentState.SUBMITTED,
        response__state=ResponseState.CONFIRMED,
        payment__isnull=True,
    ).order_by("pk")
    found: Payable = defaultdict(list)
    for pk, participant, reward in rows.values_list("pk", "participant", "task__round__reward_usd"):
        found[participant].append((pk, reward))
    return found
