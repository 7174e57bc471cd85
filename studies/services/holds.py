"""Workers whom no task of a round suits at present, and who are not to be offered its slots."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from studies.models import Hold, Participant, Round
from studies.services.admission import refused_by
from studies.services.choosing import next_task


@transaction.atomic
def hold_back(*, round: Round, participant: Participant) -> Hold:
    """Ask that the round's slots be hidden from this worker until something suits them."""
    hold, _ = Hold.objects.select_for_update().get_or_create(round=round, participant=participant)
    if not hold.wanted:
        hold.wanted, hold.applied = True, False
        hold.save(update_fields=["wanted", "applied", "changed_at"])
    return hold


def hold_back_refused(*, round: Round) -> int:
    """Hold back whom the round does not take, before they accept a slot in vain; how many."""
    held = Hold.objects.filter(round=round, participant=OuterRef("pk"), wanted=True)
    refused = refused_by(round).filter(~Exists(held))
    return len([hold_back(round=round, participant=one) for one in refused.order_by("pk")])


def lift_holds(*, round: Round) -> int:
    """Stop holding back the workers whom some task suits again; how many."""
    lifted = 0
    for hold in Hold.objects.filter(round=round, wanted=True).select_related("participant"):
        if next_task(round, hold.participant) is not None:
            lifted += Hold.objects.filter(pk=hold.pk, wanted=True).update(
                wanted=False, applied=False, changed_at=timezone.now()
            )
    return lifted
