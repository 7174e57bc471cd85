"""What stands for many contributions, and for the workers who wrote them, in a few queries."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Pick, ReviewPlan, Verdict
from annotation.proficiency.rule import Evidence
from annotation.review.counted import counted_of_plan
from annotation.review.outcome import Outcome, Settled, settle
from annotation.review.plans import sampling_rule
from database.prepared import prebuilt


class _Given(NamedTuple):
    source: str
    judgement: str
    replaced_at: None = None


OPEN = Settled(Outcome.OPEN, sampled=True)


def settled_by_contribution(
    plan: ReviewPlan, ids: Collection[int] | None = None
) -> dict[int, Settled]:
    """What stands for each contribution that is sampled or has a verdict; of `ids`, if given."""
    if ids is None:
        return _settled(_picks(plan=plan.pk), _verdicts(plan=plan.pk, study=plan.study_id))
    picks = Pick.objects.filter(draw__plan=plan, contribution__in=ids)
    verdicts = CURRENT.filter(contribution__in=ids)
    return _settled(
        picks.values_list("contribution", "experts"),
        verdicts_of(plan.pk, plan.study_id, verdicts, *COLUMNS),
    )


CURRENT = Verdict.objects.filter(replaced_at__isnull=True)
COLUMNS = "pk", "contribution", "source", "judgement"


@prebuilt
def _picks(*, plan: int) -> QuerySet[Pick, tuple[int, int]]:
    return Pick.objects.filter(draw__plan=plan).values_list("contribution", "experts")


@prebuilt
def _verdicts(*, plan: int, study: int) -> QuerySet[Verdict, Any]:
    return verdicts_of(plan, study, CURRENT, *COLUMNS)


def verdicts_of(
    plan: int, study: int, verdicts: QuerySet[Verdict], *columns: str
) -> QuerySet[Verdict, Any]:
    """Columns of those of the plan's study, in no order. Only the few outside the sample are
    followed up to their study: for thousands that takes as long as all else."""
    picked = Pick.objects.filter(draw__plan=plan).values("contribution")
    elsewhere = ~Exists(Pick.objects.filter(contribution=OuterRef("contribution")))
    of_study = {"contribution__response__assignment__task__round__study": study}
    sampled = verdicts.order_by().filter(contribution__in=picked).values_list(*columns)
    others = verdicts.order_by().filter(elsewhere, **of_study).values_list(*columns)
    return sampled.union(others, all=True)


def _settled(
    picks: Iterable[tuple[int, int]], verdicts: Iterable[tuple[int, int, str, str]]
) -> dict[int, Settled]:
    experts = dict(picks)
    given: dict[int, tuple[tuple[str, str], ...]] = defaultdict(tuple)
    for _pk, contribution, source, judgement in sorted(verdicts):
        given[contribution] += ((source, judgement),)
    return {
        pk: _settle(given.get(pk, ()), experts.get(pk, 0))
        for pk in sorted(experts.keys() | given.keys())
    }


# Thousands of contributions, and a handful of ways in which experts judged them.
@lru_cache(maxsize=1024)
def _settle(given: tuple[tuple[str, str], ...], experts: int) -> Settled:
    return settle([_Given(source, judgement) for source, judgement in given], experts=experts)


def evidence_by_participant(
    plan: ReviewPlan, settled: Mapping[int, Settled] | None = None
) -> dict[int, Evidence]:
    """What is known of each worker with a counted contribution, by participant.

    `settled` spares the queries of `settled_by_contribution` where that is at hand.

    A pick whose contribution was withdrawn since counts neither as asked for nor as reviewed.
    """
    settled = settled_by_contribution(plan) if settled is None else settled
    rule = sampling_rule(plan)
    return {
        participant: _evidence(n, rule.required(n), [settled.get(pk, OPEN) for pk in sampled or ()])
        for participant, n, sampled in _by_participant(plan=plan.pk)
    }


@prebuilt
def _by_participant(*, plan: int) -> QuerySet[Any, tuple[int, int, list[int] | None]]:
    """Of each worker: how many count, and the sampled ones."""
    per_worker = counted_of_plan(plan).values_list("response__assignment__participant")
    # Contributions of the plan's rounds are picked by no other plan.
    picked = ArrayAgg("pk", filter=Q(pick__isnull=False))
    return per_worker.annotate(n=Count("pk"), sampled=picked).order_by()


def _evidence(submitted: int, required: int, sample: list[Settled]) -> Evidence:
    outcomes = Counter(one.outcome for one in sample)
    rejected = outcomes[Outcome.REJECTED]
    reviewed = outcomes[Outcome.CORRECT] + rejected
    return Evidence(submitted, required, reviewed, rejected, outcomes[Outcome.DISPUTED])
