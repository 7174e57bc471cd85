"""Drawing the sample, and topping it up as workers go on."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max, Q

from annotation.models import Draw, Pick, ReviewPlan
from annotation.review.counted import counted_contributions
from annotation.review.earlier import count_earlier_verdicts
from annotation.review.plans import sampling_rule
from annotation.review.sampling import draw_doubles, draw_sample


@dataclass(frozen=True)
class DrawSummary:
    """What one topping up added: workers drawn of, picks, and how many of these for two experts."""

    participants: int
    picks: int
    doubles: int


@dataclass(frozen=True)
class Coverage:
    """Of one worker: contributions that count, those of them in the sample, and how many the rule
    asks for."""

    participant: int
    submitted: int
    picked: int
    required: int

    @property
    def missing(self) -> int:
        return max(0, self.required - self.picked)


@dataclass
class _Work:
    """A worker's contributions, and what earlier drawings knew of them."""

    number: int = 0
    drawn_at: datetime | None = None
    ids: list[int] = field(default_factory=list)
    picked: set[int] = field(default_factory=set)
    fresh: set[int] = field(default_factory=set)


def coverage_of(plan: ReviewPlan) -> list[Coverage]:
    """How far the sample covers each worker, in one query."""
    rule = sampling_rule(plan)
    per_worker = counted_contributions(plan).values_list("response__assignment__participant")
    # Contributions of the plan's rounds are picked by no other plan.
    counts = per_worker.annotate(n=Count("pk"), picked=Count("pick")).order_by()
    return [
        Coverage(participant, n, picked, rule.required(n))
        for participant, n, picked in sorted(counts)
        if participant is not None
    ]


@transaction.atomic
def top_up_samples(*, plan: ReviewPlan) -> DrawSummary:
    """Draw what the rule asks for beyond what is drawn. Again changes nothing; two at once wait for
    each other at the plan's row."""
    plan = ReviewPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
    short = [one for one in coverage_of(plan) if one.missing]
    works = _works(plan, [one.participant for one in short])
    draws, chosen = [], []
    for one in short:
        work, number = works[one.participant], works[one.participant].number + 1
        draws.append(
            Draw(
                plan=plan,
                participant_id=one.participant,
                number=number,
                submitted=len(work.ids),
                required=sampling_rule(plan).required(len(work.ids)),
            )
        )
        chosen.append(
            draw_sample(
                work.ids,
                picked=work.picked,
                required=draws[-1].required,
                seed=f"{plan.seed}:{one.participant}:{number}",
                fresh=work.fresh,
            )
        )
    summary = _pick(plan, Draw.objects.bulk_create(draws), chosen)
    count_earlier_verdicts(plan=plan)
    return summary


def _works(plan: ReviewPlan, participants: list[int]) -> dict[int, _Work]:
    works: dict[int, _Work] = defaultdict(_Work)
    drawn = Draw.objects.filter(plan=plan, participant__in=participants).values_list("participant")
    for participant, number, moment in drawn.annotate(n=Max("number"), at=Max("drawn_at")):
        works[participant].number, works[participant].drawn_at = number, moment
    rows = counted_contributions(plan).filter(response__assignment__participant__in=participants)
    columns = "response__assignment__participant", "pk", "pick", "response__confirmed_at"
    for participant, pk, pick, confirmed_at in rows.order_by("pk").values_list(*columns):
        work = works[participant]
        work.ids.append(pk)
        if pick is not None:
            work.picked.add(pk)
        if work.drawn_at is not None and confirmed_at > work.drawn_at:
            work.fresh.add(pk)
    return works


def _pick(plan: ReviewPlan, draws: list[Draw], chosen: list[list[int]]) -> DrawSummary:
    before = Pick.objects.filter(draw__plan=plan).aggregate(
        picks=Count("pk"), doubled=Count("pk", filter=Q(experts=2))
    )
    doubles = draw_doubles(
        [one for ids in chosen for one in ids],
        before=before["picks"],
        doubled=before["doubled"],
        share=plan.double_share,
        seed=f"{plan.seed}:doubles:{before['picks']}",
    )
    picks = Pick.objects.bulk_create(
        Pick(draw=draw, contribution_id=one, experts=2 if one in doubles else 1)
        for draw, ids in zip(draws, chosen, strict=True)
        for one in ids
    )
    return DrawSummary(participants=len(draws), picks=len(picks), doubles=len(doubles))
