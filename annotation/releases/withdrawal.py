"""A worker takes back what they gave: from now on none of it is judged, exported or released."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotation.models import Release
from studies.models import Contribution, ContributionStatus, Participant, Study
from studies.row_uses import RowUse, as_dict, uses_of
from studies.services.qualification import withdraw_qualification

# What has been taken out already, for this reason or another, stays as it is.
_OUT = (ContributionStatus.WITHDRAWN, ContributionStatus.REPLACED)


@dataclass(frozen=True)
class Withdrawal:
    """How many contributions are taken out, and which releases hold how many of the worker's;
    `uses` is what else does."""

    participant: str
    contributions: int
    releases: list[tuple[Release, int]]
    uses: list[RowUse]

    def as_dict(self) -> dict[str, Any]:
        return {
            "participant": self.participant,
            "contributions": self.contributions,
            "releases": [{"name": one.name, "rows": rows} for one, rows in self.releases],
            "uses": [as_dict(use) for use in self.uses],
        }


def preview_withdrawal(*, participant: Participant) -> Withdrawal:
    """What withdrawing would do."""
    return Withdrawal(
        participant=participant.pseudonym,
        contributions=_contributions(participant).count(),
        releases=releases_with(participant),
        uses=uses_of(participant),
    )


def withdraw_participant(*, participant: Participant) -> Withdrawal:
    """Take out every contribution of this worker in this study. Responses, payments and releases
    that are there stay. A response keeps its state, by which it is paid: who shows, exports or
    counts what is in it asks for its contributions. The worker is proficient no longer, so that no
    round for proficient workers invites them. Safe to repeat."""
    with transaction.atomic():
        # A release that is being built waits for this, or this for it.
        Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
        count = _contributions(participant).update(status=ContributionStatus.WITHDRAWN)
        withdraw_qualification(participants=[participant])
        held, uses = releases_with(participant), uses_of(participant)
        return Withdrawal(participant.pseudonym, count, held, uses)


def releases_with(participant: Participant) -> list[tuple[Release, int]]:
    """The releases that hold rows of this worker, and how many."""
    mine = Q(rows__contribution__response__assignment__participant=participant)
    releases = Release.objects.filter(study=participant.study_id).order_by("pk")
    counted = releases.annotate(of_worker=Count("rows", filter=mine)).filter(of_worker__gt=0)
    return [(release, release.of_worker) for release in counted]


def _contributions(participant: Participant) -> QuerySet[Contribution]:
    return Contribution.objects.filter(response__assignment__participant=participant).exclude(
        status__in=_OUT
    )
