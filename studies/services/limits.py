"""How much one worker may do in a round, and which rounds share no worker with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from studies.models import Assignment, Participant, Round, RoundState
from studies.models.assignment import LIVE
from studies.services.occupancy import lock_round
from studies.services.plans import RoundRefused, cap_refusal, lets_work
from studies.services.rounds import refuse_unless


@transaction.atomic
def limit_workers(*, round: Round, worker_cap: int | None, apart_from: Sequence[Round]) -> None:
    """Set how many tasks one worker may do, and which rounds share no worker with this one.

    Who is above it keeps what they have. Whom a round takes again is offered it by the next
    `apply_holds`.
    """
    lock_round(round)
    round.refresh_from_db()
    refuse_unless(round, RoundState.PUBLISHING, RoundState.OPEN, RoundState.PAUSED)
    if not lets_work(worker_cap):
        raise RoundRefused(cap_refusal())
    if any(other.study_id != round.study_id or other.pk == round.pk for other in apart_from):
        raise RoundRefused(_("A round is kept apart from other rounds of its study."))
    round.worker_cap = worker_cap
    round.save(update_fields=["worker_cap"])
    round.apart_from.set(apart_from)


@dataclass(frozen=True)
class LimitsForeseen:
    """`full`: workers who have as many tasks of the round as the cap allows. `kept_out`: workers of
    the rounds that it is kept apart from. `changes`: whether it is not so already."""

    full: int
    kept_out: int
    changes: bool


def foresee_limits(
    *, round: Round, worker_cap: int | None, apart_from: Sequence[Round]
) -> LimitsForeseen:
    """What limits would mean for the workers there are."""
    per_worker = Assignment.objects.filter(task__round=round, state__in=LIVE).values("participant")
    full = per_worker.annotate(n=Count("pk")).filter(n__gte=worker_cap or 0).order_by()
    elsewhere = Participant.objects.filter(
        assignments__task__round__in=list(apart_from), assignments__state__in=LIVE
    )
    return LimitsForeseen(
        full=full.count() if worker_cap else 0,
        kept_out=elsewhere.distinct().count() if apart_from else 0,
        changes=worker_cap != round.worker_cap or set(apart_from) != set(round.apart_from.all()),
    )
