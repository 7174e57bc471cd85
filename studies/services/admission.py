"""Whether a round takes this worker: caps on their tasks, and rounds that are kept apart.

What counts is every task they hold or have done; one that was given back does not. Whoever decides
by this holds `lock_round_for`, so that two tasks taken at the same moment count each other, in one
round or in two of a study.
"""

from enum import StrEnum, auto
from typing import Any

from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, Subquery
from django.db.models.lookups import Exact

from studies.models import Assignment, AssignmentState, Participant, Round, Task
from studies.models.assignment import LIVE


class Refusal(StrEnum):
    """Why there is no task of a round for a worker."""

    APART = auto()
    STUDY_CAP = auto()
    ROUND_CAP = auto()
    OWN = auto()
    TAKEN = auto()


def is_limited() -> Q:
    """Of a round: it may refuse workers whom it has tasks for."""
    return (
        Q(worker_cap__isnull=False)
        | Q(study__worker_cap__isnull=False)
        | Q(apart_from__isnull=False)
    )


def admitting(round: int, participant: Any) -> QuerySet[Round]:
    """The round, if this worker may have one more task of it; else none."""
    return Round.objects.filter(*_conditions(round, participant).values(), pk=round)


def why_not(round: Round, participant: Participant) -> Refusal:
    """Why this worker gets no task of the round."""
    for refusal, condition in _conditions(round.pk, participant.pk).items():
        if not Round.objects.filter(condition, pk=round.pk).exists():
            return refusal
    own = Task.objects.with_room().filter(round=round, bars__participant=participant)
    return Refusal.OWN if own.exists() else Refusal.TAKEN


def refused_by(round: Round) -> QuerySet[Participant]:
    """Whom the round does not take, of those who work in the study; not who is at a task of it."""
    at_work = Assignment.objects.filter(
        participant=OuterRef("pk"), task__round=round, state=AssignmentState.ACCEPTED
    )
    return Participant.objects.filter(
        ~Exists(admitting(round.pk, OuterRef(OuterRef("pk")))), ~Exists(at_work), study=round.study
    )


def _conditions(round: int, participant: Any) -> dict[Refusal, Any]:
    """What has to hold of a round, by what is said where it does not."""
    live = Assignment.objects.filter(participant=participant, state__in=LIVE)
    # Looked up for each of the worker's few rows: a join may read all tasks of a big round.
    of_round = Task.objects.order_by().filter(pk=OuterRef("task")).values("round")
    placed = live.annotate(of_round=Subquery(of_round))
    kept_apart = Round.apart_from.through._default_manager.filter(from_round=round)
    elsewhere = placed.filter(of_round__in=kept_apart.values("to_round"))
    return {
        # Counted, too: for the first row alone PostgreSQL may read those of all workers.
        Refusal.APART: Exact(_count(elsewhere), 0),
        Refusal.STUDY_CAP: _above("study__worker_cap", live),
        Refusal.ROUND_CAP: _above("worker_cap", placed.filter(of_round=round)),
    }


def _above(cap: str, taken: QuerySet[Assignment]) -> Q:
    # In this order: where there is no cap, PostgreSQL counts nothing.
    return Q(**{f"{cap}__isnull": True}) | Q(**{f"{cap}__gt": _count(taken)})


def _count(rows: QuerySet[Assignment]) -> Subquery:
    return Subquery(rows.order_by().annotate(count=Func(F("pk"), function="COUNT")).values("count"))
