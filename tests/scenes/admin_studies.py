"""The researcher's pages."""

from functools import partial

from playwright.sync_api import FilePayload

from studies.models import Story
from tests.scenes.released import released_study, withdrawn_response
from tests.scenes.scene import Scene, Visit, admin

MIXED = b"""story_id,title,line1,line2,line3
37,The lamp,It was dark.,Nora lit the lamp. She read the letter twice.,
38,The sea,The waves came in.,Ann ran to the dunes.,She laughed until it hurt.
"""
BROKEN = b"story_id,title,line1,line2,line3\n" + b"17,The lamp,,Nora lit the lamp.,x\n" * 30


# --- Signing in -----------------------------------------------------------------------------------


def sign_in(visit: Visit) -> None:
    visit.page.goto(f"{visit.ground.stack.task_site_url}/admin/")


def sign_in_refused(visit: Visit) -> None:
    sign_in(visit)
    visit.page.locator("[name=username]").fill("helena")
    visit.page.locator("[name=password]").fill("a guess")
    visit.page.locator("[type=submit]").click()
    visit.page.wait_for_load_state()


# --- Stories --------------------------------------------------------------------------------------


def story(visit: Visit) -> None:
    with visit.world.stack.django():
        unused = Story.objects.filter(study=visit.world.evenings, tasks=None).latest("pk")
    visit.open_admin(f"studies/story/{unused.pk}/change/")


def used_story(visit: Visit) -> None:
    with visit.world.stack.django():
        used = Story.objects.filter(study=visit.world.moods.study).earliest("pk")
    visit.open_admin(f"studies/story/{used.pk}/change/")


def upload(visit: Visit, *, name: str, content: bytes) -> None:
    """The page of the job after a job worker has looked at the file."""
    visit.open_admin(f"studies/story/import/?study={visit.world.empty.pk}")
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": content}
    visit.page.set_input_files("[name=file]", file)
    visit.page.get_by_role("button", name="Upload", exact=True).click()
    visit.page.wait_for_url("**/studies/job/*/change/")
    visit.world.run_newest_job()
    visit.page.reload()


def upload_nothing(visit: Visit) -> None:
    visit.open_admin("studies/story/import/")
    visit.page.get_by_role("button", name="Upload", exact=True).click()
    visit.page.wait_for_load_state()


def imported(visit: Visit) -> None:
    upload(visit, name="lamp.csv", content=MIXED)
    visit.page.get_by_role("button", name="Import").click()
    visit.page.wait_for_load_state()
    visit.world.run_newest_job()
    visit.page.reload()


# --- Rounds ---------------------------------------------------------------------------------------


def launch(visit: Visit, *, query: str = "") -> None:
    visit.open_admin(f"studies/study/{visit.world.evenings.pk}/launch/{query}")


def launch_refused(visit: Visit) -> None:
    launch(visit)
    visit.page.fill("[name=overlap]", "0")
    visit.page.fill("[name=reward_usd]", "")
    visit.page.get_by_role("button", name="Review").click()
    visit.page.wait_for_load_state()


def launch_review(visit: Visit) -> None:
    launch(visit)
    visit.page.get_by_role("button", name="Review").click()
    visit.page.wait_for_load_state()


def launch_limited(visit: Visit, *, button: str = "") -> None:
    """Of a study that has rounds already, with limits on its workers."""
    visit.open_admin(f"studies/study/{visit.world.moods.study.pk}/launch/")
    visit.page.fill("[name=worker_cap]", "20")
    for box in visit.page.locator("[name=apart_from]").all()[:2]:
        box.check()
    if button:
        visit.page.get_by_role("button", name=button).click()
        visit.page.wait_for_load_state()


def round_page(visit: Visit, *, which: str, step: str = "change") -> None:
    visit.open_admin(f"studies/round/{getattr(visit.world.moods, which).pk}/{step}/")


def round_extended_too_far(visit: Visit) -> None:
    """More than what is left of the budget, sent without the box that says so."""
    round_page(visit, which="open", step="extend")
    visit.page.get_by_label("More workers for each task").fill("9")
    visit.page.get_by_role("button", name="Show what it costs").click()
    visit.page.locator("[name=above_budget]").evaluate("box => box.required = false")
    visit.page.get_by_role("button", name="Extend the round").click()
    visit.page.get_by_text("Tick the box to extend it").wait_for()


def round_limits(visit: Visit) -> None:
    """What a cap would mean for the workers there are."""
    round_page(visit, which="open", step="limit")
    visit.page.get_by_label("Tasks per worker").fill("1")
    visit.page.locator("[name=apart_from]").first.check()
    visit.page.get_by_role("button", name="Show what changes").click()
    visit.page.get_by_role("button", name="Change the limits").wait_for()


def study_page(visit: Visit, *, which: str = "moods") -> None:
    study = visit.world.moods.study if which == "moods" else visit.world.empty
    visit.open_admin(f"studies/study/{study.pk}/change/")


# --- What came of it ------------------------------------------------------------------------------


def figures(visit: Visit, *, which: str = "moods", drawn: bool = True) -> None:
    study = visit.world.moods.study if which == "moods" else visit.world.empty
    visit.open_admin(f"studies/study/{study.pk}/figures/")
    if drawn:
        visit.page.locator("#submissions svg").wait_for()


def response_page(visit: Visit, *, which: str) -> None:
    response = getattr(visit.world.moods, f"{which}_response")
    visit.open_admin(f"studies/response/{response.pk}/change/")


def withdrawn(visit: Visit) -> None:
    study = visit.world.do(released_study, visit.ground.researcher)
    given = visit.world.do(withdrawn_response, study)
    visit.open_admin(f"studies/response/{given.pk}/change/")


def reject(visit: Visit) -> None:
    visit.open_admin("studies/response/")
    for box in visit.page.locator("input.action-select").all()[:3]:
        box.check()
    visit.page.select_option("[name=action]", "reject")
    visit.page.evaluate("document.getElementById('changelist-form').submit()")
    visit.page.locator("[name=reason]").wait_for()


def of_response(visit: Visit, *, noun: str) -> None:
    """The participant or the payment of a decided response."""
    assignment = visit.world.moods.rejected_response.assignment
    with visit.world.stack.django():
        pk = assignment.participant_id if noun == "participant" else assignment.payment.pk
    visit.open_admin(f"studies/{noun}/{pk}/change/")


def job_page(visit: Visit, *, state: str) -> None:
    visit.open_admin(f"studies/job/{visit.world.moods.jobs[state].pk}/change/")


EMPTY_LISTS = [
    admin(f"admin-{noun}-list-empty", f"studies/{noun}/", bare=True)
    for noun in ("study", "story", "round", "response", "participant", "payment", "job")
]
LISTS = [
    admin(f"admin-{noun}-list", f"studies/{noun}/")
    for noun in ("study", "story", "round", "response", "participant", "payment", "job")
]
ROUNDS = [
    Scene(f"admin-round-{which}", partial(round_page, which=which))
    for which in ("open", "fresh", "paused", "finished", "publishing", "failed")
]
JOBS = [
    Scene(f"admin-job-{state}", partial(job_page, state=state))
    for state in ("queued", "running", "done", "failed", "cancelled")
]
SCENES = [
    Scene("admin-sign-in", sign_in, bare=True),
    Scene("admin-sign-in-refused", sign_in_refused, bare=True),
    admin("admin-first-use", "", bare=True),
    *EMPTY_LISTS,
    admin("admin-dashboard", ""),
    *LISTS,
    admin("admin-response-list-nothing-found", "studies/response/?q=nobody"),
    admin("admin-study-new", "studies/study/add/"),
    Scene("admin-study", study_page),
    Scene("admin-study-begins", partial(study_page, which="empty")),
    Scene("admin-figures", figures),
    Scene("admin-figures-begins", partial(figures, which="empty", drawn=False)),
    Scene("admin-story", story),
    Scene("admin-story-used", used_story),
    admin("admin-story-import", "studies/story/import/"),
    Scene("admin-story-import-refused", upload_nothing),
    Scene("admin-story-import-checked", partial(upload, name="lamp.csv", content=MIXED)),
    Scene("admin-story-import-broken", partial(upload, name="lamp.csv", content=BROKEN)),
    Scene("admin-story-import-done", imported),
    Scene("admin-launch", launch),
    Scene("admin-launch-refused", launch_refused),
    Scene("admin-launch-review", launch_review),
    Scene("admin-launch-limited", launch_limited),
    Scene("admin-launch-limited-review", partial(launch_limited, button="Review")),
    *ROUNDS,
    Scene("admin-round-extend", partial(round_page, which="open", step="extend")),
    Scene("admin-round-extend-above-budget", round_extended_too_far),
    Scene("admin-round-limits", round_limits),
    Scene("admin-round-close", partial(round_page, which="open", step="close")),
    Scene("admin-response", partial(response_page, which="rich")),
    Scene("admin-response-plain", partial(response_page, which="plain")),
    Scene("admin-response-rejected", partial(response_page, which="rejected")),
    Scene("admin-response-answered", partial(response_page, which="answered")),
    Scene("admin-response-reject", reject),
    Scene("admin-response-withdrawn", withdrawn),
    Scene("admin-participant", partial(of_response, noun="participant")),
    Scene("admin-payment", partial(of_response, noun="payment")),
    *JOBS,
]
