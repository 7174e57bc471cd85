"""The rating page in Chromium, under the strict policy: keys, conditions, checks, several texts."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from evaluation.instruments.parts import Condition, Kind, Option, Question
from evaluation.rating.form import RatingForm
from tests.evaluation.rating_pages import EVERY_KIND, form_of, page_of
from tests.static.site import Site

pytestmark = pytest.mark.browser


def show(page: Page, site: Site, form: RatingForm, **more: Any) -> None:
    site.page = page_of(form, **more)
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-task-ready", "")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def current(page: Page) -> Locator:
    return page.locator("[data-current]")


def test_keys_answer_the_question_in_the_frame_and_go_on(page: Page, site: Site) -> None:
    show(page, site, form_of())
    counter = page.locator("[data-step-words]")
    expect(counter).to_have_text("Question 1 of 2")

    press(page, "y")
    expect(current(page)).to_have_id("id_best_1")
    press(page, "2")
    expect(counter).to_have_text("Question 3 of 3")
    press(page, "9", "3")

    expect(page.locator("#submit-button")).to_be_focused()
    assert page.locator("input:checked").evaluate_all("boxes => boxes.map(b => b.value)") == [
        "1",
        "1",
        "3",
    ]
    press(page, "Backspace")
    expect(current(page)).to_have_id("id_clear_1")
    press(page, "Backspace", "1")
    expect(page.locator("#submit-button")).to_be_focused()
    press(page, "Control+Enter")
    page.wait_for_url("**/submit")
    assert {name: site.submits[0][name] for name in ("sound_1", "best_1", "clear_1")} == {
        "sound_1": ["1"],
        "best_1": ["0"],
        "clear_1": ["3"],
    }


def test_a_question_is_there_when_another_was_answered_so(page: Page, site: Site) -> None:
    show(page, site, form_of())
    why, clear = page.locator("#id_why_1"), page.locator("#id_clear_1")
    expect(why).to_be_hidden()

    press(page, "n")
    expect(why.locator("textarea")).to_be_focused()
    page.keyboard.type("It has 2 verbs, n")
    page.keyboard.press("Enter")
    expect(current(page)).to_have_id("id_best_1")
    press(page, "4")
    expect(clear).to_be_hidden()
    page.locator("#id_sound_1_1").check()

    expect(why).to_be_hidden()


def test_a_condition_may_name_codes_of_several_words(page: Page, site: Site) -> None:
    options = (Option("not at all", "No"), Option("not", "Hardly"))
    kind = Question("kind", "Is it kind?", Kind.CHOICE, options)
    why = Question("why", "Why?", Kind.TEXT, condition=Condition("kind", ("not at all",)))
    show(page, site, form_of(declared=replace(EVERY_KIND, fields=(), questions=(kind, why))))

    press(page, "1")
    expect(page.locator("#id_why_1 textarea")).to_be_focused()
    press(page, "Shift+Tab", "2")
    expect(page.locator("#id_why_1")).to_be_hidden()


def test_questions_are_numbered_as_they_are_seen(page: Page, site: Site) -> None:
    show(page, site, form_of())
    seen = page.locator(".rating-number:visible")
    expect(seen).to_have_text(["1", "2"])

    press(page, "n")
    expect(seen).to_have_text(["1", "2", "3"])
    show(page, site, form_of(), preview=True)
    expect(seen).to_have_text(["1", "2", "3", "4"])


def test_what_has_no_answer_is_named_and_found(page: Page, site: Site) -> None:
    show(page, site, form_of(initial={"sound_1": "1"}))

    page.click("#submit-button")
    summary = page.locator("#error-summary")
    expect(summary.locator("li")).to_have_text(["Question 2: choose an answer."])
    expect(page.locator("#error-best_1")).to_be_visible()
    summary.locator("a").click()
    press(page, "4")

    expect(summary).to_be_hidden()
    expect(page.locator("#error-best_1")).to_be_hidden()
    expect(page.locator("#submit-button")).to_be_focused()
    assert site.submits == []


def test_of_several_texts_the_answers_stay_in_sight_and_can_be_changed(
    page: Page, site: Site
) -> None:
    show(page, site, form_of(items=2))
    way = page.locator("[data-way-to]")

    press(page, "y", "4")
    expect(way.nth(0)).to_have_text("Text 1 Yes · None of them")
    expect(current(page)).to_have_id("id_sound_2")
    expect(way.nth(1)).to_have_attribute("aria-current", "true")
    press(page, "y", "4")
    expect(page.locator("#submit-button")).to_be_focused()
    way.nth(0).click()
    press(page, "n")

    expect(way.nth(0)).to_have_text("Text 1 No · None of them")
    expect(page.locator("#id_why_1 textarea")).to_be_focused()


def test_answers_are_saved_as_they_are_given(page: Page, site: Site) -> None:
    show(page, site, form_of())

    press(page, "y")
    expect(page.locator("#saved-state")).to_contain_text("Saved")

    assert site.drafts[-1]["fields"] == {"sound_1": "1", "why_1": ""}


def test_on_a_phone_the_text_in_view_comes_back_and_nothing_is_too_wide(
    page: Page, site: Site
) -> None:
    page.set_viewport_size({"width": 360, "height": 320})
    show(page, site, form_of(items=2))
    assert page.evaluate("document.documentElement.scrollWidth") == 360

    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator("#story-link").click()

    expect(page.locator("#item-2 .story")).to_have_attribute("data-sheet", "")
    page.keyboard.press("Escape")
    expect(page.locator("[data-sheet]")).to_have_count(0)
