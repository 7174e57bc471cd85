"""What stands for many contributions, and for the workers who wrote them, in a few queries."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Pick, ReviewPlan, Verdict
from annotation.proficiency.rule import Evidence
from annotation.review.counted import counted_contributions
from annotation.review.outcome import Outcome, Settled, settle
from annotation.review.plans import sampling_rule


class _Given(NamedTuple):
    source: str
    judgement: str
    replaced_at: None = None


OPEN = Settled(Outcome.OPEN, sampled=True)


def settled_by_contribution(
    plan: ReviewPlan, ids: Collection[int] | None = None
) -> dict[int, Settled]:
    """What stands for each contribution that is sampled or has a verdict; of `ids`, if given."""
    picks = Pick.objects.filter(draw__plan=plan)
    verdicts = Verdict.objects.filter(replaced_at__isnull=True)
    if ids is not None:
        picks = picks.filter(contribution__in=ids)
        verdicts = verdicts.filter(contribution__in=ids)
    experts = dict(picks.values_list("contribution", "experts"))
    given: dict[int, tuple[tuple[str, str], ...]] = defaultdict(tuple)
    columns = "pk", "contribution", "source", "judgement"
    for _pk, contribution, source, judgement in sorted(verdicts_of(plan, verdicts, *columns)):
        given[contribution] += ((source, judgement),)
    return {
        pk: _settle(given.get(pk, ()), experts.get(pk, 0))
        for pk in sorted(experts.keys() | given.keys())
    }


# Thousands of contributions, and a handful of ways in which experts judged them.
@lru_cache(maxsize=1024)
def _settle(given: tuple[tuple[str, str], ...], experts: int) -> Settled:
    return settle([_Given(source, judgement) for source, judgement in given], experts=experts)


def verdicts_of(
    plan: ReviewPlan, verdicts: QuerySet[Verdict], *columns: str
) -> QuerySet[Verdict, Any]:
    """Columns of those of the plan's study, in no order. Only the few outside the sample are
    followed up to their study: for thousands that takes as long as all else."""
    picked = Pick.objects.filter(draw__plan=plan).values("contribution")
    elsewhere = ~Exists(Pick.objects.filter(contribution=OuterRef("contribution")))
    study = {"contribution__response__assignment__task__round__study": plan.study_id}
    sampled = verdicts.order_by().filter(contribution__in=picked).values_list(*columns)
    others = verdicts.order_by().filter(elsewhere, **study).values_list(*columns)
    return sampled.union(others, all=True)


def evidence_by_participant(
    plan: ReviewPlan, settled: Mapping[int, Settled] | None = None
) -> dict[int, Evidence]:
    """What is known of each worker with a counted contribution, by participant.

    `settled` spares the queries of `settled_by_contribution` where that is at hand.

    A pick whose contribution was withdrawn since counts neither as asked for nor as reviewed.
    """
    settled = settled_by_contribution(plan) if settled is None else settled
    per_worker = counted_contributions(plan).values_list("response__assignment__participant")
    # Contributions of the plan's rounds are picked by no other plan.
    picked = ArrayAgg("pk", filter=Q(pick__isnull=False))
    found = per_worker.annotate(n=Count("pk"), sampled=picked)
    rule = sampling_rule(plan)
    return {
        participant: _evidence(n, rule.required(n), [settled.get(pk, OPEN) for pk in sampled or ()])
        for participant, n, sampled in found.order_by()
    }


def _evidence(submitted: int, required: int, sample: list[Settled]) -> Evidence:
    outcomes = Counter(one.outcome for one in sample)
    rejected = outcomes[Outcome.REJECTED]
    return Evidence(submitted, required, outcomes[Outcome.CORRECT] + rejected, rejected)
