"""The page of a study's standings, before and after they are applied."""

from functools import partial

from annotation.models import Decision
from annotation.proficiency.changes import changes_of
from annotation.proficiency.deciding import apply_change
from annotation.proficiency.rule import ProficiencyRule
from studies.models import Participant, Study
from tests.scenes.judged import judged_study
from tests.scenes.scene import Scene, Visit, admin


def page(visit: Visit, *, step: str = "") -> None:
    visit.open_admin(f"annotation/decision/study/{judged(visit).pk}/{step}")


def nobody(visit: Visit) -> None:
    visit.open_admin(f"annotation/decision/study/{visit.world.empty.pk}/")


def applied(visit: Visit, *, step: str) -> None:
    study = judged(visit)
    with visit.world.stack.django():
        for change in changes_of(study):
            apply_change(change=change, rule=ProficiencyRule(), user=visit.ground.researcher)
    page(visit, step=step)


def worker(visit: Visit) -> None:
    applied(visit, step="")
    with visit.world.stack.django():
        pk = Participant.objects.filter(study__slug="harbour").earliest("pk").pk
    visit.open_admin(f"studies/participant/{pk}/change/")


def decision(visit: Visit) -> None:
    applied(visit, step="")
    with visit.world.stack.django():
        pk = Decision.objects.earliest("pk").pk
    visit.open_admin(f"annotation/decision/{pk}/change/")


def decisions(visit: Visit) -> None:
    applied(visit, step="")
    visit.open_admin("annotation/decision/")


def judged(visit: Visit) -> Study:
    return visit.world.do(judged_study, visit.ground.researcher)


SCENES = [
    admin("admin-decision-list-empty", "annotation/decision/", bare=True),
    Scene("admin-standings", page),
    Scene("admin-standings-none", nobody),
    Scene("admin-standings-undecided", partial(page, step="?standing=undecided&extra=3")),
    Scene("admin-standings-wrong-number", partial(page, step="?extra=many")),
    Scene("admin-standings-apply", partial(page, step="apply/")),
    Scene("admin-standings-applied", partial(applied, step="")),
    Scene("admin-standings-nothing-to-apply", partial(applied, step="apply/")),
    Scene("admin-standings-worker", worker),
    Scene("admin-decision", decision),
    Scene("admin-decision-list", decisions),
]
