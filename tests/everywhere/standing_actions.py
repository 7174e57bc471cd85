"""What can be done about the standings of a study."""

from django.urls import reverse

from annotation.admin.standing_page import fingerprint
from annotation.proficiency.changes import changes_of, foresee
from studies.models import Study
from tests.everywhere.states import Request

ONLY_SHOW = {"annotation_standings"}
REFUSE_ON_THE_FORM = {"annotation_standings_apply"}


def own_pages(study: Study) -> dict[str, tuple[Request, str]]:
    address = reverse("admin:annotation_standings_apply", args=[study.pk])
    seen = fingerprint(foresee(changes_of(study)))
    return {"annotation_standings_apply": (Request(address, "POST", {"seen": seen}), str(study))}
