"""The contributions that count for a worker's standing."""

from django.db.models import QuerySet

from annotation.models import ReviewPlan
from studies.models import Contribution, ContributionStatus, ResponseState

GONE = (ContributionStatus.REPLACED, ContributionStatus.WITHDRAWN)


def counted_contributions(plan: ReviewPlan) -> QuerySet[Contribution]:
    """Confirmed, in the rounds under review, neither replaced nor withdrawn, of a known worker."""
    return Contribution.objects.filter(
        response__state=ResponseState.CONFIRMED,
        response__assignment__task__round__in=plan.rounds.values("pk"),
        response__assignment__participant__isnull=False,
    ).exclude(status__in=GONE)
