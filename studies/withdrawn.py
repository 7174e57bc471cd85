"""What its worker took back. A response keeps its state, by which it is paid: that it is withdrawn
says what it yielded."""

from django.db.models import Exists, OuterRef

from studies.models import Contribution, ContributionStatus

WITHDRAWN = Contribution.objects.filter(status=ContributionStatus.WITHDRAWN)


def is_withdrawn(response: str = "pk") -> Exists:
    """Of the response that this field of a row refers to."""
    return Exists(WITHDRAWN.filter(response=OuterRef(response)))
