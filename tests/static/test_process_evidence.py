"""What the task page counts while somebody writes, in Chromium: numbers, never a character."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, expect, sync_playwright

from studies.services import evidence
from tests.browser import launch
from tests.static.site import COMPLETE, Site, task_page
from tests.static.test_task_page import ASSERTION, show

pytestmark = pytest.mark.browser
ON = {"on": True, "note": "", "note_length": 200}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright, windows=True)
        yield browser
        browser.close()


@pytest.fixture
def writing(page: Page, site: Site) -> Iterator[Page]:
    """The empty task page of a worker who agreed, with the focus of a real window."""
    show(page, site, task_page(recording=ON))
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    yield page
    session.detach()


def counted(page: Page, site: Site) -> dict[str, Any]:
    """The evidence that goes along with the draft saved next, which our server can read."""
    with page.expect_response("**/draft"):
        page.locator("#id_changed_assertion").dispatch_event("change")
    sent = site.drafts[-1]["evidence"]
    kept = evidence.add_page({}, sent, revision=1)
    steps: dict[str, Any] = kept["pages"][sent["page"]]["steps"]
    return steps


def test_key_presses_that_change_text_are_counted_by_step(writing: Page, site: Site) -> None:
    writing.locator(ASSERTION).click()
    writing.keyboard.type("Kind")
    writing.keyboard.press("Backspace")
    for key in ("ArrowLeft", "Shift", "Control+A", "Control+C", "End"):
        writing.keyboard.press(key)
    writing.check("#tick-2")
    writing.locator("#id_changed_assertion").click()
    writing.keyboard.type("No")

    steps = counted(writing, site)

    assert steps["1"]["keys"] == 5
    assert steps["3"]["keys"] == 2
    assert all(step["pastes"] == step["drops"] == [] for step in steps.values())


def test_pastes_are_counted_with_their_size_and_never_with_their_text(
    writing: Page, site: Site
) -> None:
    box = writing.locator(ASSERTION)
    box.click()
    writing.keyboard.type("Ünï 😀 xyz")
    writing.keyboard.press("Control+A")
    writing.keyboard.press("Control+C")
    writing.keyboard.press("Control+V")
    writing.keyboard.press("Control+V")
    expect(box).to_have_value("Ünï 😀 xyz" * 2)
    writing.keyboard.press("Control+A")
    writing.keyboard.press("Delete")

    step = counted(writing, site)["1"]

    assert step["pastes"] == [9, 9]
    assert step["keys"] == 10
    assert all("xyz" not in json.dumps(draft["evidence"]) for draft in site.drafts)


def test_text_dropped_in_is_counted_with_its_size(writing: Page, site: Site) -> None:
    box = writing.locator(ASSERTION)
    box.click()
    writing.keyboard.type("So ")
    place = box.bounding_box()
    assert place is not None
    dragged = {"items": [{"mimeType": "text/plain", "data": "Kind 😀"}], "dragOperationsMask": 1}
    at = {"x": place["x"] + place["width"] / 2, "y": place["y"] + 20, "data": dragged}
    session = writing.context.new_cdp_session(writing)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **at})
    expect(box).to_have_value("So Kind 😀")

    step = counted(writing, site)["1"]

    assert (step["drops"], step["pastes"], step["keys"]) == ([6], [], 3)


def test_leaving_the_page_is_counted_and_not_taken_for_work(writing: Page, site: Site) -> None:
    writing.locator(ASSERTION).click()
    writing.keyboard.type("A")
    began = time.monotonic()
    other = writing.context.new_page()
    other.bring_to_front()
    other.wait_for_timeout(1500)
    writing.bring_to_front()
    longest_ms = (time.monotonic() - began) * 1000
    writing.keyboard.type("B")

    step = counted(writing, site)["1"]

    assert step["away"] == 1
    assert 1400 <= step["away_ms"] <= longest_ms + 1000
    assert step["active_ms"] > 0
    assert step["keys"] == 2


def test_a_long_pause_counts_as_thirty_seconds(page: Page, site: Site) -> None:
    page.clock.install()
    show(page, site, task_page(recording=ON))
    page.locator(ASSERTION).focus()
    page.keyboard.type("A")
    page.clock.fast_forward(10_000)
    page.keyboard.type("B")
    page.clock.fast_forward(600_000)
    page.keyboard.type("C")
    page.clock.run_for(1000)
    expect(page.locator("#saved-state")).to_contain_text("Saved")

    step = site.drafts[-1]["evidence"]["steps"]["1"]

    assert 40_000 <= step["active_ms"] <= 45_000
    assert (step["keys"], step["away"]) == (3, 0)


def test_undo_and_reset_are_counted(writing: Page, site: Site) -> None:
    writing.locator(ASSERTION).click()
    writing.keyboard.type("Kind")
    writing.keyboard.press("Control+Z")
    writing.keyboard.type("Kind")
    writing.check("#tick-2")
    writing.fill("#id_changed_assertion", "Unkind")
    writing.locator("#id_revision_1").click()
    writing.keyboard.type("x")
    writing.locator("[data-reset]").first.click()
    writing.locator("[data-reset]").first.click()

    steps = counted(writing, site)

    assert steps["1"]["undos"] == 1
    assert steps["4"]["resets"] == 2


def test_a_reload_counts_from_nothing_under_another_name(writing: Page, site: Site) -> None:
    writing.locator(ASSERTION).click()
    writing.keyboard.type("Kind")
    counted(writing, site)
    first = site.drafts[-1]["evidence"]["page"]
    writing.reload()
    expect(writing.locator("html")).to_have_attribute("data-task-ready", "")
    writing.locator(ASSERTION).click()
    writing.keyboard.type("!")

    assert counted(writing, site)["1"]["keys"] == 1
    assert site.drafts[-1]["evidence"]["page"] != first


def test_the_last_counts_are_sent_before_the_form(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE, recording=ON))
    page.get_by_text("Tell the reviewers how you write").click()
    page.get_by_label("In one line, if you like").fill("I dictate.")

    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/submit")

    assert site.drafts[-1]["evidence"]["note"] == "I dictate."
    assert site.submits[0]["process_note"] == ["I dictate."]
    assert "process_note" not in site.drafts[-1]["fields"]


@pytest.mark.parametrize("recording", [None, ON | {"on": False}])
def test_without_a_yes_nothing_is_counted(page: Page, site: Site, recording: Any) -> None:
    show(page, site, task_page(recording=recording))

    page.locator(ASSERTION).click()
    page.keyboard.type("Kind")
    expect(page.locator("#saved-state")).to_contain_text("Saved")

    assert "evidence" not in site.drafts[-1]
    expect(page.locator("#process-note")).to_have_count(0)


def test_the_instructions_lead_to_the_question(page: Page, site: Site) -> None:
    show(page, site, task_page(recording=ON))

    page.keyboard.press("F1")
    page.get_by_role("link", name="What that means, and your answer").click()

    page.wait_for_url("**/recording?token=the-token")


@pytest.mark.parametrize("choice", [None, True, False])
def test_both_answers_look_alike_and_can_be_given_by_keyboard(
    page: Page, site: Site, choice: bool | None
) -> None:
    context = {"study": {"title": "Moods"}, "choice": choice, "choose_url": "/choose", "token": "t"}
    site.page = render_to_string("task/recording.html", context)
    page.goto("/")

    yes, no = page.get_by_role("button").all()
    assert yes.get_attribute("class") == no.get_attribute("class")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/choose")
