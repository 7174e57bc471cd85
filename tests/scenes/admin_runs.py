"""The researcher's pages of model runs."""

from functools import partial

from modeling.models import Generation
from studies.models import Study
from tests.scenes.admin_release import released
from tests.scenes.ran import newest, ran_study
from tests.scenes.scene import Scene, Visit


def ran(visit: Visit) -> Study:
    study = released(visit)
    visit.world.do(ran_study, study, visit.ground.researcher)
    return study


def run_list(visit: Visit) -> None:
    study = ran(visit)
    visit.open_admin(f"modeling/run/?study__id__exact={study.pk}")


def start(visit: Visit) -> None:
    ran(visit)
    visit.open_admin("modeling/run/start/")


def refused(visit: Visit) -> None:
    start(visit)
    visit.page.fill("[name=settings]", "epochs=many\nspeed=3")
    visit.page.fill("[name=seeds]", "1 1")
    visit.page.get_by_role("button", name="Start").click()
    visit.page.wait_for_selector("[role=alert]")


def page(visit: Visit, *, state: str) -> None:
    ran(visit)
    visit.open_admin(f"modeling/run/{visit.world.do(newest, state).pk}/change/")
    if state in {"done", "running"}:
        visit.page.wait_for_selector("#run-curve svg")


def compared(visit: Visit) -> None:
    study = ran(visit)
    visit.open_admin(f"modeling/run/compare/?study={study.pk}&task=story-revision")


def generation(visit: Visit) -> None:
    ran(visit)
    visit.open_admin(f"modeling/generation/{visit.world.do(_output)}/change/")


def _output() -> int:
    return Generation.objects.filter(run__study__slug="lanterns").latest("pk").pk


SCENES = [
    Scene("admin-run-list", run_list),
    Scene("admin-run-refused", refused),
    *(
        Scene(f"admin-run-{state}", partial(page, state=state))
        for state in ("running", "done", "failed")
    ),
    Scene("admin-run-compare", compared),
    Scene("admin-generation", generation),
]
