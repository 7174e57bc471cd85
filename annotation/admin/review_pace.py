"""How long an expert takes for one."""

from statistics import median

from django.contrib.auth.models import User

from annotation.admin.review_access import TO_STUDY
from annotation.models import Verdict
from studies.models import Study

LOOKED_AT = 20


def seconds_each(reviewer: User, study: Study) -> float | None:
    """The median of the last ones in this study; None where nothing was measured."""
    timed = Verdict.objects.filter(
        **{f"contribution__{TO_STUDY}": study},
        reviewer=reviewer,
        replaced_at__isnull=True,
        seconds__isnull=False,
    )
    latest = timed.order_by("-decided_at").values_list("seconds", flat=True)[:LOOKED_AT]
    taken = [seconds for seconds in latest if seconds is not None]
    return median(taken) if taken else None
