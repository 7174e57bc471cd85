"""The study's qualification: whom it found proficient.

What we want stands in our rows; the marketplace is brought in line by a job that is safe to repeat.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from studies import mturk
from studies.models import AssignmentState, Participant, PaymentKind, PaymentState, Study
from studies.withdrawn import WITHDRAWN

logger = logging.getLogger(__name__)

BATCH = 200


def grant_qualification(*, participants: Iterable[Participant]) -> int:
    """Wish that these participants hold their study's qualification; how many did not yet."""
    ids = [participant.pk for participant in participants]
    return Participant.objects.filter(pk__in=ids, qualified_at__isnull=True).update(
        qualified_at=timezone.now(), qualification_applied=False
    )


def withdraw_qualification(*, participants: Iterable[Participant]) -> int:
    """Wish that these participants no longer hold it; how many did."""
    ids = [participant.pk for participant in participants]
    return Participant.objects.filter(pk__in=ids, qualified_at__isnull=False).update(
        qualified_at=None, qualification_applied=False
    )


@dataclass(frozen=True)
class Suggestion:
    participant: Participant
    approved: int


def suggest_participants(*, study: Study, min_approved: int) -> list[Suggestion]:
    """Not yet proficient, at least `min_approved` approved responses in the study, no rejection,
    decided or sent, and nothing withdrawn. Most approved first, then by pseudonym."""
    rejected = Q(assignments__state=AssignmentState.REJECTED) | Q(
        assignments__payment__kind=PaymentKind.REJECT,
        assignments__payment__state=PaymentState.WANTED,
    )
    withdrawn = WITHDRAWN.filter(response__assignment__participant=OuterRef("pk"))
    able = (
        Participant.objects.filter(study=study, qualified_at__isnull=True)
        .annotate(
            approved=Count("assignments", filter=Q(assignments__state=AssignmentState.APPROVED)),
            rejected=Count("assignments", filter=rejected),
        )
        .filter(~Exists(withdrawn), approved__gte=min_approved, rejected=0)
        .order_by("-approved", "pseudonym")
    )
    return [Suggestion(participant, participant.approved) for participant in able]


def apply_qualifications() -> int:
    """Bring the marketplace in line with our wishes; how many changed. Raises
    MarketplaceUnavailable. A worker whom the marketplace refuses stays to be applied and is logged.
    """
    due = Participant.objects.filter(qualification_applied=False).select_related("study", "worker")
    return sum(_apply(participant) for participant in due.order_by("pk")[:BATCH])


def ensure_qualification_type(study: Study) -> str:
    """The study's qualification type, made on first need; one left by a killed run stays unused."""
    study.refresh_from_db(fields=["qualification_type_id"])
    if not study.qualification_type_id:
        made = mturk.create_qualification_type(
            name=f"Proficient in {study.slug}",
            description=_("Held by workers whom the study “%(study)s” found proficient.")
            % {"study": study},
        )
        Study.objects.filter(pk=study.pk, qualification_type_id="").update(
            qualification_type_id=made
        )
        study.refresh_from_db(fields=["qualification_type_id"])
    return study.qualification_type_id


@transaction.atomic
def forget_qualification_type(study: Study) -> None:
    """It is gone from the marketplace: let the next need of one make another, and tell the
    marketplace anew who holds it."""
    gone = Study.objects.filter(pk=study.pk, qualification_type_id=study.qualification_type_id)
    if gone.update(qualification_type_id=""):
        study.participants.filter(qualified_at__isnull=False).update(qualification_applied=False)


def _apply(participant: Participant) -> bool:
    worker_id = participant.worker.marketplace_id
    try:
        qualification = ensure_qualification_type(participant.study)
        if participant.qualified_at is not None:
            mturk.grant_qualification(qualification, worker_id)
        else:
            mturk.revoke_qualification(qualification, worker_id)
    except mturk.QualificationTypeGone:
        forget_qualification_type(participant.study)
        return False
    except mturk.MarketplaceRefused:
        logger.exception("the qualification of participant %s was refused", participant.pseudonym)
        return False
    applied = Participant.objects.filter(pk=participant.pk, qualified_at=participant.qualified_at)
    if applied.update(qualification_applied=True):
        return True
    # The wish has changed meanwhile, and whose call came last is not known: tell it again.
    Participant.objects.filter(pk=participant.pk).update(qualification_applied=False)
    return False
