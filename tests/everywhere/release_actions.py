"""What can be done about the releases of a study."""

from typing import Any

from django.urls import reverse

from annotation.admin.release_build import fingerprint
from annotation.models import Release
from annotation.releases.planning import plan_release
from annotation.releases.rule import ReleaseRule
from studies.models import Contribution, ContributionStatus, Participant, Study
from studies.services.response_layout import OWN
from tests.everywhere.states import Request
from tests.studies.factories import make_participant, make_round

ASKED = {
    "name": "v9",
    "train": "80",
    "validation": "12",
    "test": "8",
    "test_from": "any",
    "layout": OWN,
    "seed": "7",
}
ONLY_SHOW = {"annotation_release_download", "annotation_release_of_study"}
# Whoever may see a release may have it verified and written at any time.
REFUSE_ON_THE_FORM = {
    *("annotation_release_build", "annotation_release_pack", "annotation_release_verify"),
}
ASKS_FIRST = {("studies.participant", "withdraw_work")}


def own_pages(study: Study) -> dict[str, tuple[Request, str]]:
    release = Release.objects.get(study=study)
    given = Contribution.objects.exclude(status=ContributionStatus.WITHDRAWN)
    worker = Participant.objects.filter(
        study=study, assignments__response__contributions__in=given
    )[0]
    return {
        "annotation_release_build": (
            _post("annotation_release_build", study=study.pk, seen=_seen(study), **ASKED),
            "v9",
        ),
        "annotation_release_pack": (_post("annotation_release_pack", release.pk), str(release)),
        "annotation_release_verify": (_post("annotation_release_verify", release.pk), str(release)),
        "annotation_release_withdraw": (
            _post("annotation_release_withdraw", _selected_action=str(worker.pk)),
            str(worker.pk),
        ),
    }


def refused_buttons(study: Study) -> dict[str, tuple[Request, str]]:
    idle = make_participant(make_round(study))
    return {
        "annotation_release_withdraw": (
            _post("annotation_release_withdraw", _selected_action=str(idle.pk)),
            "Nothing to withdraw",
        ),
    }


def _seen(study: Study) -> str:
    rule = ReleaseRule(layout=OWN)
    return fingerprint(plan_release(study=study, seed=int(ASKED["seed"]), rule=rule))


def _post(name: str, /, *args: Any, **data: Any) -> Request:
    return Request(reverse(f"admin:{name}", args=args), "POST", data)
