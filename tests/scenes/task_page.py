"""The task page and what stands in its place, as they look inside the marketplace's frame."""

from functools import partial

from playwright.sync_api import Locator, Page, expect

from marketplace.frames import preview_of
from marketplace.models import Assignment
from marketplace.services.assignments import return_assignment
from studies.models import Participant, Response
from studies.services import settlement
from studies.services.submission import save_draft
from tests.scenes.scene import Scene, Visit
from tests.scenes.world import hit_type_of

ASSERTION = "The one who waits is patient."
CHANGED = "The one who waits is impatient."


def opened(visit: Visit) -> Assignment:
    """An untouched task; the worker has read the instructions before."""
    assignment = visit.world.accept(visit.world.make_worker("Teo Lind"))
    visit.open_task(assignment=assignment)
    ready(visit.page)
    return assignment


def ready(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-task-ready", "")


def begun(visit: Visit) -> Assignment:
    assignment = opened(visit)
    visit.page.fill("#id_assertion", ASSERTION)
    visit.page.check("#tick-2")
    return assignment


def partly(visit: Visit) -> Assignment:
    assignment = begun(visit)
    saved(visit.page)
    return assignment


def filled(visit: Visit) -> Assignment:
    assignment = begun(visit)
    visit.page.fill("#id_changed_assertion", CHANGED)
    box = visit.page.locator("#id_revision_2")
    words = box.input_value().split()
    box.fill(" ".join([words[0], "suddenly", *words[2:]]))
    saved(visit.page)
    return assignment


def saved(page: Page) -> None:
    expect(page.locator("#saved-state")).to_contain_text("Saved ")


def errors(visit: Visit) -> None:
    opened(visit)
    visit.page.click("#submit-button")
    visit.page.locator("#error-summary").wait_for()


def cautions(visit: Visit) -> None:
    filled(visit)
    visit.page.fill("#id_revision_3", "She waited. Then she called the others.")
    visit.page.click("#submit-button")
    visit.page.get_by_role("button", name="Submit as it is").wait_for()
    ready(visit.page)


def two_tabs(visit: Visit) -> None:
    """Another tab with the same task has saved meanwhile."""
    partly(visit)
    with visit.world.stack.django():
        row = Participant.objects.latest("pk").assignments.get()
        save_draft(assignment_id=row.pk, fields={}, page="other")
    visit.page.fill("#id_changed_assertion", CHANGED)
    visit.page.get_by_text("This task is open in another tab").wait_for()
    saved(visit.page)


def offline(visit: Visit) -> None:
    filled(visit)
    visit.page.context.set_offline(True)
    visit.page.fill("#id_changed_assertion", "The one who waits is in a hurry.")
    expect(visit.page.locator("#saved-state")).to_contain_text("Not saved")
    visit.page.click("#submit-button")
    expect(visit.page.locator("#submit-problem")).to_contain_text("no connection")


def instructions(visit: Visit, *, part: str = "") -> None:
    opened(visit)
    visit.page.keyboard.press("F1")
    visit.page.locator("#instructions").wait_for()
    if part:
        visit.page.locator(part).first.scroll_into_view_if_needed()


def recording_again(visit: Visit) -> None:
    """The question once more, with the answer that was given, by way of the instructions."""
    instructions(visit)
    visit.page.get_by_role("link", name="What that means, and your answer").click()
    visit.page.get_by_role("button", name="Yes, record it").wait_for()


def with_note(visit: Visit) -> None:
    partly(visit)
    visit.page.get_by_text("Tell the reviewers how you write").click()
    visit.page.locator("[name=process_note]").fill("I dictate.")


def story_sheet(visit: Visit) -> None:
    """A narrow page with the story brought back over the steps."""
    filled(visit)
    visit.page.set_viewport_size({"width": 360, "height": 740})
    visit.page.locator("#step-4").scroll_into_view_if_needed()
    visit.page.locator("#story-link").click()


def without_scripts(visit: Visit) -> None:
    visit.page.route("**/*.js", lambda route: route.abort())
    visit.open_task(assignment=visit.world.accept(visit.world.make_worker("Teo Lind")))


# --- Before and after -----------------------------------------------------------------------------


def preview(visit: Visit) -> None:
    with visit.world.stack.django():
        hit = hit_type_of(visit.world.round).hits.latest("pk")
        url = preview_of(hit).url
    visit.page.goto(url)
    ready(visit.page)


def consent(visit: Visit) -> None:
    worker = visit.world.make_worker("Teo Lind")
    visit.open_task(assignment=visit.world.accept(worker, ready=False))


def recording_question(visit: Visit) -> None:
    consent(visit)
    visit.page.get_by_role("button").first.click()
    visit.page.get_by_role("button", name="Yes, record it").wait_for()


def first_visit(visit: Visit) -> None:
    recording_question(visit)
    visit.page.get_by_role("button", name="Yes, record it").click()
    visit.page.locator("#instructions").wait_for()
    ready(visit.page)


def submit(page: Page, arrived: Locator) -> None:
    """Press Submit, past the cautions if there are any, until this is there."""
    page.click("#submit-button")
    again = page.get_by_role("button", name="Submit as it is")
    again.or_(arrived).first.wait_for()
    if again.is_visible():
        ready(page)
        again.click()
        arrived.wait_for()


def sent(visit: Visit) -> Assignment:
    assignment = filled(visit)
    submit(visit.page, visit.page.get_by_role("heading", level=1, name="Thank you"))
    return assignment


def sending(visit: Visit) -> None:
    """On the way to the marketplace, where the browser did not go on by itself."""
    visit.page.route("**/task-send*.js", lambda route: route.abort())
    filled(visit)
    submit(visit.page, visit.page.get_by_role("button", name="Send it on"))


def done(visit: Visit) -> None:
    """A submitted task opened once more."""
    assignment = sent(visit)
    with visit.world.stack.django():
        response = Response.objects.get(assignment__marketplace_id=assignment.assignment_id)
        settlement.confirm_response(response.assignment_id)
    visit.open_task(assignment=assignment)


def late(visit: Visit) -> None:
    assignment = partly(visit)
    visit.world.lapse(assignment)
    visit.page.reload()


def unsent(visit: Visit) -> None:
    """Committed here, but the marketplace did not get it before the time ran out."""
    sending(visit)
    with visit.world.stack.django():
        newest = Response.objects.latest("pk").assignment
        assignment = Assignment.objects.get(assignment_id=newest.marketplace_id)
    visit.world.lapse(assignment)
    visit.open_task(assignment=assignment)


def stale(visit: Visit) -> None:
    """Returned in another tab, then the page is loaded again."""
    assignment = partly(visit)
    with visit.world.stack.django():
        return_assignment(assignment=assignment)
        Participant.objects.latest("pk").assignments.update(state="returned")
    visit.page.goto(visit.page.url)


def taken_elsewhere(visit: Visit) -> None:
    """Returned in another tab, then sent from here as without scripts."""
    filled(visit)
    with visit.world.stack.django():
        Participant.objects.latest("pk").assignments.update(state="returned")
    visit.page.evaluate("document.getElementById('task-form').submit()")
    visit.page.get_by_role("heading", level=1, name="You returned").wait_for()


def nothing_left(visit: Visit) -> None:
    """The worker has done the only story of the round and accepts its other slot."""
    worker, round = visit.world.make_worker("Teo Lind"), visit.world.small_round
    visit.open_task(assignment=visit.world.accept(worker, round))
    ready(visit.page)
    with visit.world.stack.django():
        reserved = Participant.objects.latest("pk").assignments.get()
        reserved.task.round.tasks.update(overlap=1)
    visit.open_task(assignment=visit.world.accept(visit.world.make_worker("Mira Vonk"), round))


def invalid_link(visit: Visit) -> None:
    assignment = visit.world.accept(visit.world.make_worker("Teo Lind"))
    visit.page.goto(visit.world.frame_of(assignment).replace("workerId=", "workerId=X"))


SCENES = [
    Scene("task-preview", preview),
    Scene("task-consent", consent),
    Scene("task-recording-question", recording_question),
    Scene("task-first-visit", first_visit, still=True),
    Scene("task-empty", opened),
    Scene("task-partly", partly),
    Scene("task-filled", filled),
    Scene("task-errors", errors),
    Scene("task-cautions", cautions),
    Scene("task-two-tabs", two_tabs),
    Scene("task-offline", offline),
    Scene("task-instructions", instructions, still=True),
    Scene(
        "task-instructions-example", partial(instructions, part="#instructions .worked"), still=True
    ),
    Scene("task-recording-again", recording_again),
    Scene("task-note", with_note),
    Scene("task-story-sheet", story_sheet, still=True),
    Scene("task-without-scripts", without_scripts),
    Scene("task-sending", sending),
    Scene("task-sent", sent),
    Scene("task-done", done),
    Scene("task-time-over", late),
    Scene("task-unsent", unsent),
    Scene("task-returned", stale),
    Scene("task-taken-elsewhere", taken_elsewhere),
    Scene("task-nothing-left", nothing_left),
    Scene("task-link-refused", invalid_link),
]
