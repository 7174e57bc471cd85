"""The researcher's pages of releases."""

from functools import partial

from studies.models import Study
from tests.scenes.released import leaving_worker, newest_release, released_study
from tests.scenes.scene import Scene, Visit, admin

ASKED = "train=80&validation=12&test={test}&test_from={rows}&layout=pasta-jsonl&seed=7&step=preview"


def released(visit: Visit) -> Study:
    return visit.world.do(released_study, visit.ground.researcher)


def release_list(visit: Visit) -> None:
    released(visit)
    visit.open_admin("annotation/release/")


def build(visit: Visit) -> None:
    visit.open_admin(f"annotation/release/build/?study={released(visit).pk}")


def preview(
    visit: Visit, *, test: int = 8, rows: str = "expert-reviewed", name: str = "v2"
) -> None:
    study = released(visit)
    query = ASKED.format(test=test, rows=rows)
    visit.open_admin(f"annotation/release/build/?study={study.pk}&name={name}&{query}")


def nothing_accepted(visit: Visit) -> None:
    query = ASKED.format(test=8, rows="any")
    visit.open_admin(f"annotation/release/build/?study={visit.world.empty.pk}&name=v1&{query}")


def too_few(visit: Visit) -> None:
    study = released(visit)
    query = ASKED.format(test=28, rows="expert-reviewed").replace("train=80", "train=60")
    visit.open_admin(f"annotation/release/build/?study={study.pk}&name=v2&{query}")


def page(visit: Visit) -> None:
    release = visit.world.do(newest_release, released(visit))
    visit.open_admin(f"annotation/release/{release.pk}/change/")


def after(visit: Visit, *, button: str) -> None:
    """The page of the job that the button starts, at its end."""
    page(visit)
    visit.page.get_by_role("button", name=button).click()
    visit.page.wait_for_url("**/studies/job/*/change/")
    visit.world.run_newest_job()
    visit.page.reload()


def packed(visit: Visit) -> None:
    page(visit)
    if visit.page.get_by_role("button", name="Write the files").count():
        after(visit, button="Write the files")
        page(visit)


def withdraw(visit: Visit) -> None:
    worker = visit.world.do(leaving_worker, released(visit))
    visit.open_admin(f"studies/participant/?q={worker.pseudonym}")
    visit.page.locator("input.action-select").first.check()
    visit.page.select_option("[name=action]", "withdraw_work")
    visit.page.evaluate("document.getElementById('changelist-form').submit()")
    visit.page.get_by_role("button", name="Withdraw", exact=True).wait_for()


SCENES = [
    admin("admin-release-list-empty", "annotation/release/", bare=True),
    Scene("admin-release-list", release_list),
    Scene("admin-release-build", build),
    Scene("admin-release-build-preview", preview),
    Scene("admin-release-build-refused", partial(preview, test=9, name="v1")),
    Scene("admin-release-build-too-few", too_few),
    Scene("admin-release-build-nothing", nothing_accepted),
    Scene("admin-release", page),
    Scene("admin-release-verified", partial(after, button="Verify")),
    Scene("admin-release-packed", packed),
    Scene("admin-release-withdraw", withdraw),
]
