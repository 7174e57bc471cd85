"""What was judged outside the sample before it was drawn into it.

The drawing did not know of these verdicts, so they say as much as later ones. Without them, whoever
gave one could not take the seat, and with few experts nobody might be left to fill it.
"""

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotation.models import Pick, ReviewPlan, ReviewSource, Turn, Verdict


@transaction.atomic
def count_earlier_verdicts(*, plan: ReviewPlan) -> int:
    """Give free seats of the sample to the experts who have judged its contributions already, or
    have them before them in a pool, the earliest first; how many seats. Safe to repeat."""
    outside = Turn.objects.filter(
        Q(source=ReviewSource.SINGLE, done_at__isnull=False) | Q(source=ReviewSource.POOL),
        contribution__pick__draw__plan=plan,
        contribution__pick__taken__lt=F("contribution__pick__experts"),
    )
    return sum(_seat(turn) for turn in outside.select_for_update(of=("self",)).order_by("pk"))


def _seat(turn: Turn) -> bool:
    free = Pick.objects.filter(contribution=turn.contribution_id, taken__lt=F("experts"))
    if not free.update(taken=F("taken") + 1):
        return False
    given = Verdict.objects.filter(
        contribution=turn.contribution_id,
        reviewer=turn.reviewer_id,
        source=turn.source,
        replaced_at__isnull=True,
    )
    for verdict in given:
        given.update(replaced_at=timezone.now())
        verdict.pk, verdict.source = None, ReviewSource.SAMPLE
        verdict.save(force_insert=True)
    turn.source = ReviewSource.SAMPLE
    turn.save(update_fields=["source"])
    return True
