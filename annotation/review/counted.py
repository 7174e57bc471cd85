"""The contributions that experts judge, and that count for a worker's standing."""

from django.db.models import Q, QuerySet

from annotation.models import Pick, ReviewPlan
from studies.models import Contribution, ContributionStatus, ResponseState

GONE = (ContributionStatus.REPLACED, ContributionStatus.WITHDRAWN)
# Of turns and verdicts: their contribution may still be judged, as `is_judged` says of one.
JUDGED = Q(contribution__response__state=ResponseState.CONFIRMED) & ~Q(
    contribution__status__in=GONE
)


def is_judged(contribution: Contribution) -> bool:
    """Whether experts are shown it: confirmed, neither replaced nor withdrawn."""
    confirmed = contribution.response.state == ResponseState.CONFIRMED
    return confirmed and contribution.status not in GONE


def counted_contributions(plan: ReviewPlan) -> QuerySet[Contribution]:
    """Confirmed, in the rounds under review, neither replaced nor withdrawn, of a known worker."""
    return counted_of_plan(plan.pk)


def counted_of_plan(plan: int) -> QuerySet[Contribution]:
    """`counted_contributions`, by the plan's key."""
    rounds = ReviewPlan.rounds.through.objects.filter(reviewplan=plan).values("round")
    return Contribution.objects.filter(
        response__state=ResponseState.CONFIRMED,
        response__assignment__task__round__in=rounds,
        response__assignment__participant__isnull=False,
    ).exclude(status__in=GONE)


def counted_picks(plan: int) -> QuerySet[Pick]:
    """The sample as far as it counts: nobody is asked to judge what was withdrawn or replaced, or
    what a round that is under review no more has yielded."""
    return Pick.objects.filter(draw__plan=plan, contribution__in=counted_of_plan(plan).values("pk"))
