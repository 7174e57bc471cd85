"""The task page in Chromium, under the strict policy: steps, drafts, checks, keys."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from studies import task_types
from tests.e2e.people import until
from tests.static.site import COMPLETE, ITEM, SENTENCES, Site, task_page

pytestmark = pytest.mark.browser
ASSERTION = "#id_assertion"
COUNT_WHAT_IS_SAID = """() => {
  window.said = 0;
  const count = (changes) => { window.said += changes.length; };
  const announcer = document.getElementById("announcer");
  new MutationObserver(count).observe(announcer, { childList: true });
}"""


def show(page: Page, site: Site, html: str) -> None:
    site.page = html
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-task-ready", "")


def test_each_step_opens_when_the_one_before_it_is_filled(page: Page, site: Site) -> None:
    show(page, site, task_page())
    second, third, fourth = (page.locator(f"#step-{n} .step-body") for n in (2, 3, 4))
    tick = page.locator("#tick-2")
    expect(second).to_be_hidden()
    expect(tick).to_be_hidden()

    page.fill(ASSERTION, "The driver is patient.")
    expect(second).to_be_visible()
    expect(third).to_be_hidden()
    tick.check()
    expect(third).to_be_visible()
    expect(fourth).to_be_hidden()
    page.fill("#id_changed_assertion", "The driver is impatient.")

    expect(fourth).to_be_visible()
    page.fill(ASSERTION, "")
    expect(fourth).to_be_visible()


def test_the_table_in_step_two_follows_the_ticks(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))
    rows = page.locator("[data-ticked]:visible")
    expect(rows).to_have_count(1)

    page.check("#tick-4")
    expect(rows).to_have_count(2)
    page.uncheck("#tick-2")

    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(SENTENCES[3])


def test_the_difference_follows_the_typing_and_reset_can_be_undone(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))
    row = page.locator("[data-revision]").nth(0)
    box, difference, reset = (row.locator(s) for s in ("textarea", ".difference", "[data-reset]"))
    expect(difference).to_be_hidden()

    box.fill("Nora walked down the hill towards the stop.")
    expect(difference.locator("del")).to_have_text("[deleted: ran]")
    expect(difference.locator("ins")).to_have_text("[inserted: walked]")
    reset.click()
    expect(box).to_have_value(SENTENCES[0])
    reset.click()

    expect(box).to_have_value("Nora walked down the hill towards the stop.")


def test_a_draft_is_saved_within_two_seconds_of_the_last_keystroke(page: Page, site: Site) -> None:
    show(page, site, task_page())

    page.locator(ASSERTION).press_sequentially("The driver is kind.")
    expect(page.locator("#saved-state")).to_have_text(re.compile(r"Saved \d+:\d\d"), timeout=2000)

    assert site.drafts[-1]["token"] == "the-token"
    assert site.drafts[-1]["fields"] == {
        "assertion": "The driver is kind.",
        "justification": [],
        "changed_assertion": "",
        **{f"revision_{number}": text for number, text in enumerate(SENTENCES, 1)},
    }


def test_what_was_typed_before_the_scripts_arrived_is_saved_too(page: Page, site: Site) -> None:
    held: list[Route] = []
    page.route("**/js/task/draft.js", lambda route: held.append(route))
    site.page = task_page()
    page.goto("/", wait_until="commit")

    page.fill(ASSERTION, "The driver is kind.")
    until(lambda: bool(held), page, "a script was asked for")
    held[0].continue_()
    expect(page.locator("#saved-state")).to_contain_text("Saved ")

    assert site.drafts[-1]["fields"]["assertion"] == "The driver is kind."


def test_a_draft_is_sent_when_the_page_is_left(page: Page, site: Site) -> None:
    show(page, site, task_page())

    page.fill(ASSERTION, "The driver is kind.")
    page.goto("/static/img/icon.svg")

    until(lambda: bool(site.drafts), page, "a draft arrived")
    assert site.drafts[-1]["fields"]["assertion"] == "The driver is kind."
    assert site.drafts[-1]["leaving"] is True


def test_a_failed_save_is_said_and_tried_again(page: Page, site: Site) -> None:
    show(page, site, task_page())
    state = page.locator("#saved-state")
    site.draft_status = 503

    page.fill(ASSERTION, "The driver is kind.")
    expect(state).to_contain_text("Not saved: the server has a problem.")
    expect(page.locator("#announcer")).to_contain_text("Not saved")
    page.evaluate(COUNT_WHAT_IS_SAID)
    with page.expect_response("**/draft"):
        page.evaluate("dispatchEvent(new Event('online'))")
    site.draft_status = 200

    expect(state).to_contain_text("Saved ")
    assert page.evaluate("said") == 1, "the failure again, besides that it is saved"


def test_a_lost_connection_is_said_and_does_not_replace_the_page(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))
    page.context.set_offline(True)

    page.fill(ASSERTION, "The driver is kind.")
    expect(page.locator("#saved-state")).to_contain_text("Not saved: no connection.")
    page.click("#submit-button")

    expect(page.locator("#submit-problem")).to_contain_text("Not submitted: no connection.")
    page.context.set_offline(False)
    expect(page.locator("#saved-state")).to_contain_text("Saved ")
    assert site.submits == []


def test_a_server_that_cannot_save_is_not_sent_the_form(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))
    site.draft_status = 503

    page.click("#submit-button")
    expect(page.locator("#submit-problem")).to_contain_text("Not submitted: the server has")
    expect(page.locator(ASSERTION)).to_have_value("The driver is patient.")
    assert site.submits == []

    site.draft_status = 200
    page.click("#submit-button")
    page.wait_for_url("**/submit")


def test_the_servers_words_are_shown_when_it_refuses_a_draft(page: Page, site: Site) -> None:
    show(page, site, task_page())
    site.draft_status = 410

    page.fill(ASSERTION, "The driver is kind.")

    expect(page.locator("#saved-state")).to_have_text("You returned this task.")


def test_a_page_that_replaced_the_text_of_another_tab_says_so_for_good(
    page: Page, site: Site
) -> None:
    show(page, site, task_page())
    line = page.locator("#other-tab")
    expect(line).to_have_attribute("aria-live", "polite")
    site.draft_answer = {"over_another": True}

    page.fill(ASSERTION, "The driver is kind.")
    expect(line).to_have_text("This task is open in another tab, too. What was saved last counts.")
    site.draft_answer = {"saved_at": "2026-01-02T03:04:05+00:00"}
    page.fill(ASSERTION, "The driver is patient.")
    until(lambda: len(site.drafts) > 1, page, "a second draft arrived")
    page.fill(ASSERTION, "The driver is calm.")
    until(lambda: len(site.drafts) > 2, page, "a third draft arrived")

    expect(line).to_be_visible()
    expect(page.locator(ASSERTION)).to_have_value("The driver is calm.")
    assert [draft["known_at"] for draft in (site.drafts[0], site.drafts[-1])] == [
        "",
        "2026-01-02T03:04:05+00:00",
    ]


def test_a_page_whose_task_was_returned_keeps_its_text_and_takes_nothing_more(
    page: Page, site: Site
) -> None:
    show(page, site, task_page(COMPLETE))
    site.draft_status, site.draft_answer = 409, {"returned": True}
    button = page.locator("#submit-button")

    page.fill(ASSERTION, "The driver is kind.")
    expect(page.locator("#saved-state")).to_contain_text("You returned this task.")
    expect(page.locator("#timer")).to_be_hidden()
    expect(button).to_be_disabled()
    expect(button).to_have_accessible_description(re.compile("you returned this task"))
    expect(page.locator("#submit-problem")).to_be_visible()
    page.locator(ASSERTION).focus()
    expect(page.locator("#tick-2")).to_be_disabled()
    expect(page.locator(ASSERTION)).not_to_be_editable()
    page.keyboard.press("Control+A")
    selected = page.evaluate("getSelection().toString()")
    page.keyboard.press("Control+Enter")

    assert selected == "The driver is kind."
    assert site.submits == []


def test_a_submit_that_meets_a_returned_task_stays_on_the_page(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))
    site.draft_status, site.draft_answer = 409, {"returned": True}

    page.click("#submit-button")

    expect(page.locator("#submit-problem")).to_contain_text("you returned this task")
    expect(page.locator("#submit-button")).to_have_text("Submit")
    expect(page.locator(ASSERTION)).to_have_value(COMPLETE["assertion"])
    assert site.submits == []


def test_text_that_was_never_saved_is_offered_after_a_reload(page: Page, site: Site) -> None:
    show(page, site, task_page())
    site.draft_status = 503
    page.fill(ASSERTION, "The driver is kind.")
    expect(page.locator("#saved-state")).to_contain_text("Not saved")

    show(page, site, task_page())
    page.click("[data-use]")

    expect(page.locator(ASSERTION)).to_have_value("The driver is kind.")
    expect(page.locator("#unsaved-copy")).to_be_hidden()


def test_the_offer_of_unsaved_text_is_in_sight_wherever_the_page_was_scrolled_to(
    page: Page, site: Site
) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    show(page, site, task_page(COMPLETE))
    site.draft_status = 503
    page.fill(ASSERTION, "The driver is kind.")
    expect(page.locator("#saved-state")).to_contain_text("Not saved")
    page.locator("#submit-button").scroll_into_view_if_needed()

    page.reload()

    expect(page.locator("html")).to_have_attribute("data-task-ready", "")
    page.wait_for_load_state()
    expect(page.locator("[data-use]")).to_be_in_viewport()


def test_a_page_without_storage_works(page: Page, site: Site) -> None:
    page.add_init_script(
        """Object.defineProperty(window, "sessionStorage", {
            get() { throw new DOMException("Access is denied", "SecurityError"); } });"""
    )
    show(page, site, task_page())

    page.fill(ASSERTION, "The driver is kind.")

    expect(page.locator("#saved-state")).to_contain_text("Saved ")


def test_errors_are_named_in_a_focused_summary_that_leads_to_the_fields(
    page: Page, site: Site
) -> None:
    show(page, site, task_page(COMPLETE | {"assertion": ""}))

    page.click("#submit-button")
    summary = page.locator("#error-summary")
    expect(summary).to_be_focused()
    expect(page.locator("#error-assertion")).to_contain_text("Step 1 is empty.")
    summary.get_by_role("link").first.click()
    expect(page.locator(ASSERTION)).to_be_focused()
    page.keyboard.type("The driver is patient.")

    expect(page.locator("#error-assertion")).to_be_hidden()
    expect(summary).to_be_hidden()
    assert site.submits == []


def test_a_text_that_is_too_long_has_no_characters_left(page: Page, site: Site) -> None:
    """What describes the field is read out, also while it is not shown."""
    show(page, site, task_page())
    left = page.locator("#left-assertion")

    page.fill(ASSERTION, "a" * 290)
    expect(left).to_have_text("10 characters left")
    page.fill(ASSERTION, "a" * 310)

    expect(left).to_have_text("")


def test_a_double_click_submits_once(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))

    page.dblclick("#submit-button")
    page.wait_for_url("**/submit")

    assert (len(site.drafts), len(site.submits)) == (1, 1)
    assert site.submits[0]["justification"] == ["2"]
    assert site.submits[0]["token"] == ["the-token"]


def test_the_keyboard_alone_is_enough(page: Page, site: Site) -> None:
    show(page, site, task_page(first_visit=True))
    dialog = page.locator("#instructions")
    expect(dialog).to_be_visible()

    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.locator(ASSERTION).focus()
    page.keyboard.type("Is the driver patient?")
    page.keyboard.press("Enter")
    expect(page.locator("#tick-1")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.keyboard.type("The driver is impatient.")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    page.keyboard.type(" Late.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/submit")

    assert site.submits[0]["assertion"] == ["Is the driver patient?"]
    assert site.submits[0]["justification"] == ["2"]
    assert site.submits[0]["changed_assertion"] == ["The driver is impatient."]
    assert site.submits[0]["revision_2"] == [f"{SENTENCES[1]} Late."]
    assert any(draft.get("instructions_seen") for draft in site.drafts)


def test_instructions_open_by_key_and_give_the_place_back(page: Page, site: Site) -> None:
    show(page, site, task_page(COMPLETE))
    box, dialog = page.locator("#id_revision_5"), page.locator("#instructions")
    box.focus()
    before = page.evaluate("scrollY")

    page.keyboard.press("F1")
    expect(dialog).to_be_visible()
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()

    expect(box).to_be_focused()
    assert page.evaluate("scrollY") == before


def test_the_story_stays_in_sight_beside_the_steps(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 1200, "height": 700})
    show(page, site, task_page(COMPLETE))

    page.locator("#submit-button").scroll_into_view_if_needed()

    expect(page.locator("#story-title")).to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 360])
def test_a_narrow_header_shows_steps_and_saved_state_from_the_first_key_on(
    page: Page, site: Site, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    show(page, site, task_page())
    state, header = page.locator("#saved-state"), page.locator(".task-now")
    before = header.bounding_box()
    page.locator("#step-4").scroll_into_view_if_needed()

    page.locator(ASSERTION).press_sequentially("T")
    expect(state).to_have_text("Saving…", timeout=500)
    expect(state).to_be_in_viewport()
    expect(page.locator(".step-marks span").first).to_be_in_viewport()
    expect(state).to_contain_text("Saved ")

    page.mouse.wheel(0, 5000)
    expect(page.locator("#story-link")).to_be_visible()

    after = header.bounding_box()
    assert before and after and before["height"] == after["height"]
    assert header.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert state.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_story_of_five_ordinary_sentences_does_not_scroll_beside_the_steps(
    page: Page, site: Site
) -> None:
    sentences = [f"{sentence[:-1]} and looked around." for sentence in SENTENCES]
    item = ITEM | {"sentences": sentences}
    form = task_types.get("state_annotation").form_class(item=item)
    for height in (573, 660):
        page.set_viewport_size({"width": 1366, "height": height})
        show(page, site, task_page(item=item, form=form))
        story = page.locator(".story")
        assert story.evaluate("e => e.scrollHeight - e.clientHeight") == 0
        assert story.evaluate("e => e.getBoundingClientRect().bottom < innerHeight")


def test_a_narrow_page_brings_the_story_back_as_a_sheet(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    show(page, site, task_page(COMPLETE))
    link = page.locator("#story-link")
    expect(link).to_be_hidden()

    page.locator("#step-4").scroll_into_view_if_needed()
    link.click()
    expect(page.locator("#story-title")).to_be_in_viewport()
    page.keyboard.press("Escape")

    expect(page.locator("#story-title")).not_to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
