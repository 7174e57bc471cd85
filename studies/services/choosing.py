"""Which task of a round a worker gets next."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, TextField, Value
from django.db.models.functions import MD5, Cast, Concat

from database.prepared import prepared
from studies import task_types
from studies.models import Assignment, Bar, Participant, Round, Task
from studies.models.assignment import LIVE
from studies.services.admission import admitting


def next_task(round: Round, participant: Participant, *, limited: bool = True) -> Task | None:
    """The task this worker would get now, if the round takes them.

    It has room, is neither held nor done by this worker and shows nothing that they wrote; least
    served first, ties broken by the round's seed, for each worker anew where the task type
    arranges. Of a round that is known to be not `limited`, less has to be asked.
    """
    choose = _next_task_within_limits if limited else _next_task
    if task_types.get(round.task_type).arranges:
        choose = _next_task_in_own_order
    return choose.first(round=round.pk, participant=participant.pk)


@prepared
def _next_task(*, round: int, participant: int) -> QuerySet[Task]:
    return _free_tasks(round, participant)[:1]


@prepared
def _next_task_within_limits(*, round: int, participant: int) -> QuerySet[Task]:
    return _free_tasks(round, participant, Exists(admitting(round, participant)))[:1]


@prepared
def _next_task_in_own_order(*, round: int, participant: Any) -> QuerySet[Task]:
    of_worker = Cast(participant, TextField())
    chance = MD5(Concat("tie_break", Value(":"), of_worker, output_field=TextField()))
    free = _free_tasks(round, participant, Exists(admitting(round, participant)))
    return free.order_by("taken", chance, "pk")[:1]


def _free_tasks(round: int, participant: int, *conditions: Exists) -> QuerySet[Task]:
    had = Assignment.objects.filter(task=OuterRef("pk"), participant=participant, state__in=LIVE)
    barred = Bar.objects.filter(task=OuterRef("pk"), participant=participant)
    free = Task.objects.with_room().filter(~Exists(had), ~Exists(barred), *conditions, round=round)
    return free.order_by("taken", "tie_break", "pk")
