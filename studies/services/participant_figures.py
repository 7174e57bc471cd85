"""What a participant's list and page show: counts of their work."""

from django.db.models import Aggregate, Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from studies.models import Assignment, AssignmentState, Participant, ResponseState
from studies.services.round_figures import TIME_OF_ASSIGNMENT, Median

CONFIRMED = Q(response__state=ResponseState.CONFIRMED)


def with_work(participants: QuerySet[Participant]) -> QuerySet[Participant]:
    """Participants with response_count (confirmed), approved_count, rejected_count, median_time.

    Each is asked of the participant's own rows, so a page of them costs the same among a million.
    """
    return participants.annotate(
        response_count=_count(CONFIRMED),
        approved_count=_count(Q(state=AssignmentState.APPROVED)),
        rejected_count=_count(Q(state=AssignmentState.REJECTED)),
        median_time=_over_own(Median(TIME_OF_ASSIGNMENT), CONFIRMED),
    )


def _count(condition: Q) -> Coalesce:
    return Coalesce(_over_own(Count("pk"), condition), 0, output_field=IntegerField())


def _over_own(number: Aggregate, condition: Q) -> Subquery:
    own = Assignment.objects.filter(condition, participant=OuterRef("pk")).order_by()
    return Subquery(own.values("participant").annotate(number=number).values("number"))
