"""Which contribution an expert judges next.

A turn lays one before one expert. The sample's picks have as many places as experts are to judge
them: a place is taken under the pick's lock, and free again when a turn lapses. One expert's tabs
take turns under the lock of their account's row.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import CharField, Count, Exists, F, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import MD5, Cast, Concat
from django.utils import timezone

from annotation.models import Pick, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.review.counted import JUDGED, counted_contributions, is_judged
from studies import task_types
from studies.models import Contribution, Study

LAPSES_AFTER = timedelta(minutes=30)
PUT_OFF_LAPSES_AFTER = timedelta(days=7)
PACE_OVER = timedelta(hours=1)


class NotReviewable(Exception):
    """Not confirmed, withdrawn, of a task type without review, or settled by this expert."""


@dataclass(frozen=True)
class Progress:
    """`left`: places of the sample and the pools that this expert could still take. `per_hour`:
    verdicts given in the last hour."""

    done: int
    left: int
    put_off: int
    per_hour: int


@transaction.atomic
def next_turn(*, reviewer: Any, study: Study) -> Turn | None:
    """The open turn given first, else a new one: of the sample, then of an agreement pool."""
    _lock(reviewer)
    turn = open_turns(reviewer, study).select_for_update(of=("self",)).first()
    if turn is None:
        return _give(reviewer, study)
    _touch(turn)
    return turn


@transaction.atomic
def upcoming_turn(*, turn: Turn, study: Study) -> Turn | None:
    """The one that comes after this turn, held so that it can be loaded already. It is the same
    whether asked for before or after this one's verdict."""
    _lock(turn.reviewer)
    return open_turns(turn.reviewer, study).exclude(pk=turn.pk).first() or _give(
        turn.reviewer, study
    )


def open_turns(reviewer: Any, study: Study) -> QuerySet[Turn]:
    return _turns(reviewer, study).filter(done_at__isnull=True, deferred_at__isnull=True)


def put_off_turns(reviewer: Any, study: Study) -> QuerySet[Turn]:
    return _turns(reviewer, study).filter(done_at__isnull=True, deferred_at__isnull=False)


def put_off(*, turn: Turn) -> None:
    Turn.objects.filter(pk=turn.pk, done_at__isnull=True).update(deferred_at=timezone.now())


@transaction.atomic
def open_single(*, reviewer: Any, contribution: Contribution) -> Turn:
    """A turn of the expert's own choice. It takes no place of the sample: see `record_verdict`.
    Raises NotReviewable."""
    _lock(reviewer)
    if not is_judged(contribution):
        raise NotReviewable
    if task_types.get(contribution.response.task_type).review is None:
        raise NotReviewable
    turn = Turn.objects.filter(reviewer=reviewer, contribution=contribution).first()
    if turn is not None:
        _touch(turn)
        return turn
    if _judged(reviewer).filter(contribution=contribution).exists():
        raise NotReviewable
    return _lay(reviewer, contribution.pk, ReviewSource.SINGLE)


def progress(*, reviewer: Any, study: Study) -> Progress:
    plan = _plan_of(study)
    mine = _judged(reviewer).filter(
        contribution__response__assignment__task__round__study=study,
    )
    lately = Q(decided_at__gte=timezone.now() - PACE_OVER)
    free = [] if plan is None else [_free_picks(plan, reviewer), _pool_members(plan, reviewer)]
    return Progress(
        left=open_turns(reviewer, study).count() + sum(rows.count() for rows in free),
        put_off=put_off_turns(reviewer, study).count(),
        **mine.aggregate(done=Count("pk"), per_hour=Count("pk", filter=lately)),
    )


@transaction.atomic
def give_back_lapsed() -> int:
    """End the turns nobody works on any more; how many. Their places are free again."""
    now = timezone.now()
    lapsed = Turn.objects.filter(
        Q(deferred_at__isnull=True, given_at__lt=now - LAPSES_AFTER)
        | Q(deferred_at__lt=now - PUT_OFF_LAPSES_AFTER),
        done_at__isnull=True,
    )
    turns = list(lapsed.select_for_update(skip_locked=True).order_by("contribution", "pk"))
    for turn in turns:
        if turn.source == ReviewSource.SAMPLE:
            Pick.objects.filter(contribution=turn.contribution_id).update(taken=F("taken") - 1)
    Turn.objects.filter(pk__in=[turn.pk for turn in turns]).delete()
    return len(turns)


def _lock(reviewer: Any) -> None:
    get_user_model().objects.select_for_update(no_key=True).only("pk").get(pk=reviewer.pk)


def _plan_of(study: Study) -> ReviewPlan | None:
    return ReviewPlan.objects.filter(study=study).first()


def _turns(reviewer: Any, study: Study) -> QuerySet[Turn]:
    """What was withdrawn since is laid before nobody."""
    return (
        Turn.objects.filter(
            JUDGED,
            reviewer=reviewer,
            contribution__response__assignment__task__round__study=study,
        )
        .select_related("contribution__response__assignment__task__round__study")
        .order_by("pk")
    )


def _judged(reviewer: Any) -> QuerySet[Verdict]:
    return Verdict.objects.filter(reviewer=reviewer, replaced_at__isnull=True)


def _give(reviewer: Any, study: Study) -> Turn | None:
    plan = _plan_of(study)
    if plan is None:
        return None
    pick = _take(_shuffled(_free_picks(plan, reviewer), plan, reviewer, "contribution"))
    if pick is not None:
        return _lay(reviewer, pick.contribution_id, ReviewSource.SAMPLE)
    member = _shuffled(_pool_members(plan, reviewer), plan, reviewer, "pk").first()
    return None if member is None else _lay(reviewer, member.pk, ReviewSource.POOL)


def _take(picks: QuerySet[Pick]) -> Pick | None:
    """A place at the first of them that has one: at one that nobody takes at this moment, else,
    having waited for whoever does, at what they left."""
    free = picks.filter(taken__lt=F("experts"))
    pick = (
        free.select_for_update(skip_locked=True, of=("self",)).first()
        or free.select_for_update(of=("self",)).first()
    )
    if pick is not None:
        pick.taken += 1
        pick.save(update_fields=["taken"])
    return pick


def _lay(reviewer: Any, contribution: int, source: ReviewSource) -> Turn:
    return Turn.objects.create(
        contribution_id=contribution, reviewer=reviewer, source=source, given_at=timezone.now()
    )


def _touch(turn: Turn) -> None:
    turn.given_at = timezone.now()
    Turn.objects.filter(pk=turn.pk).update(given_at=turn.given_at)


def _free_picks(plan: ReviewPlan, reviewer: Any) -> QuerySet[Pick]:
    return Pick.objects.filter(
        *_not_had(reviewer, "contribution"),
        draw__plan=plan,
        taken__lt=F("experts"),
        contribution__in=counted_contributions(plan),
    )


def _pool_members(plan: ReviewPlan, reviewer: Any) -> QuerySet[Contribution]:
    """Of the plan's pools, what this expert has neither judged nor before them."""
    mine = counted_contributions(plan).filter(*_not_had(reviewer, "pk"), pools__plan=plan)
    return mine.distinct()


def _not_had(reviewer: Any, contribution: str) -> tuple[Q, Q]:
    turns = Turn.objects.filter(reviewer=reviewer, contribution=OuterRef(contribution))
    judged = _judged(reviewer).filter(contribution=OuterRef(contribution))
    return Q(~Exists(turns)), Q(~Exists(judged))


def _shuffled(rows: Any, plan: ReviewPlan, reviewer: Any, key: str) -> Any:
    """In an order of this reviewer's own, which tells nothing of when a row was written."""
    place = MD5(
        Concat(
            Value(f"{plan.seed}:{reviewer.pk}:"),
            Cast(key, CharField()),
            output_field=TextField(),
        )
    )
    return rows.annotate(place=place).order_by("place")
