"""How far the experts agree: percent and Gwet's AC1.

Over what counts, as all numbers of the review are: what a worker took back is in no report.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from annotation.models import Judgement, Pool, ReviewPlan, ReviewSource, Verdict
from annotation.review.counted import counted_contributions, counted_picks
from database.prepared import prebuilt
from studies import task_types

if TYPE_CHECKING:
    from stats.agreement import Agreement

# Each expert's word on each contribution.
Words = dict[int, dict[int, str]]


@dataclass(frozen=True)
class ExpertAgreement:
    """Over contributions judged by at least two experts: on correct or reject, and in detail on the
    grade or the step at fault."""

    contributions: int
    experts: int
    percent: "Agreement"
    ac1: "Agreement"
    detail_percent: "Agreement"
    detail_ac1: "Agreement"


def expert_agreement(*, plan: ReviewPlan) -> ExpertAgreement:
    """Over the part of the sample that two experts judge."""
    return _agreement(plan, _of_sample(plan=plan.pk))


def pool_agreement(*, pool: Pool) -> ExpertAgreement:
    """Over the pool's members: each expert's verdict, in whatever turn it was given. An
    adjudication was given in knowledge of others and is left out."""
    members = counted_contributions(pool.plan).filter(pools=pool)
    verdicts = Verdict.objects.filter(contribution__in=members.values("pk"))
    return _agreement(pool.plan, _words(verdicts.exclude(source=ReviewSource.ADJUDICATION)))


Word = tuple[int, int, str, str, int | None]


@prebuilt
def _of_sample(*, plan: int) -> QuerySet[Verdict, Word]:
    doubled = counted_picks(plan).filter(experts=2).values("contribution")
    return _words(Verdict.objects.filter(contribution__in=doubled, source=ReviewSource.SAMPLE))


def _words(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict, Word]:
    columns = "contribution", "reviewer", "judgement", "grade", "step"
    return verdicts.filter(replaced_at__isnull=True).values_list(*columns)


def _agreement(plan: ReviewPlan, rows: Iterable[Word]) -> ExpertAgreement:
    judgements: Words = defaultdict(dict)
    details: Words = defaultdict(dict)
    for contribution, reviewer, judgement, grade, step in rows:
        judgements[contribution][reviewer] = judgement
        details[contribution][reviewer] = f"{judgement}:{grade or step}"
    judgements, details = _compared(judgements), _compared(details)
    percent, ac1 = _coefficients(judgements, list(Judgement.values))
    detail_percent, detail_ac1 = _coefficients(details, _details_of(plan))
    return ExpertAgreement(
        contributions=len(judgements),
        experts=len({expert for row in judgements.values() for expert in row}),
        percent=percent,
        ac1=ac1,
        detail_percent=detail_percent,
        detail_ac1=detail_ac1,
    )


def _compared(words: Words) -> Words:
    return {pk: row for pk, row in sorted(words.items()) if len(row) > 1}


def _details_of(plan: ReviewPlan) -> list[str]:
    """All that can be said in detail of the plan's rounds, whether or not it has been."""
    names = plan.rounds.order_by("task_type").values_list("task_type", flat=True).distinct()
    forms = [form for name in names if (form := task_types.get(name).review) is not None]
    grades = [f"{Judgement.CORRECT.value}:{grade.slug}" for form in forms for grade in form.grades]
    steps = [f"{Judgement.REJECT.value}:{step}" for form in forms for step in form.steps]
    return list(dict.fromkeys(grades + steps))


def _coefficients(words: Words, scale: list[str]) -> tuple["Agreement", "Agreement"]:
    # Loads numpy and scipy, which hardly any other page needs.
    from stats.agreement import gwet_ac, percent_agreement

    experts = sorted({expert for row in words.values() for expert in row})
    ratings = [[row.get(expert) for expert in experts] for row in words.values()] or [[None]]
    said = {word for row in words.values() for word in row.values()}
    # Of a plan without rounds nothing is known that could be said, and nothing has been.
    categories = [*scale, *sorted(said - set(scale))] or list(Judgement.values)
    return (
        percent_agreement(ratings, categories=categories, se="delta"),
        gwet_ac(ratings, categories=categories, se="delta"),
    )
