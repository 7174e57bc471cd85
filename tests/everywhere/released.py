"""The release of a world."""

from django.contrib.auth.models import User

from annotation.releases.building import build_release
from annotation.releases.rule import ReleaseRule
from studies.models import Contribution, ContributionStatus, ResponseState, Study
from studies.services.response_layout import OWN


def fill_release(study: Study, staff: User) -> None:
    mine = Contribution.objects.filter(
        response__assignment__task__round__study=study, response__state=ResponseState.CONFIRMED
    )
    mine.update(status=ContributionStatus.ACCEPTED)
    build_release(study=study, name="v1", seed=7, rule=ReleaseRule(layout=OWN), user=staff)
