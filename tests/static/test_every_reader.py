"""The task page for long words, other scripts, forced colours and larger type."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from studies import task_types
from tests.static.site import COMPLETE, ITEM, Site, task_page

pytestmark = pytest.mark.browser
PHONE: ViewportSize = {"width": 360, "height": 640}
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmütze"
ARABIC = "جلست ميرا بجانب النافذة."


def show(page: Page, site: Site, html: str) -> None:
    site.page = html
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-task-ready", "")


def page_about(item: dict[str, Any], answers: dict[str, Any] | None = None) -> str:
    form = task_types.get("state_annotation").form_class(item=item, initial=answers)
    return task_page(answers, item=item, form=form)


def colour_of(place: Locator, name: str) -> str:
    found: str = place.evaluate("(place, name) => getComputedStyle(place)[name]", name)
    return found


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def test_a_long_word_in_a_title_does_not_widen_the_page(page: Page, site: Site) -> None:
    page.set_viewport_size(PHONE)

    show(page, site, page_about(ITEM | {"title": LONG_WORD}))

    assert not scrolls_sideways(page)
    assert page.locator(".story").evaluate("story => story.scrollWidth <= story.clientWidth")


def test_with_forced_colours_only_the_ticked_sentence_has_a_bar(page: Page, site: Site) -> None:
    page.emulate_media(forced_colors="active")

    show(page, site, task_page(COMPLETE))

    ground = colour_of(page.locator("body"), "backgroundColor")
    bars = [
        colour_of(sentence, "borderInlineStartColor") != ground
        for sentence in page.locator(".sentence").all()
    ]
    assert bars == [False, True, False, False, False]


def test_a_difference_reads_in_the_direction_of_the_story(page: Page, site: Site) -> None:
    item = ITEM | {"sentences": [ARABIC, *ITEM["sentences"][1:]]}
    show(page, site, page_about(item, COMPLETE | {"revision_1": ARABIC}))

    page.fill("#id_revision_1", "وقفت" + ARABIC.removeprefix("جلست"))
    difference = page.locator(".difference").first
    expect(difference.locator("ins")).to_contain_text("وقفت")

    assert colour_of(difference, "direction") == "rtl"
    box, below = page.locator("#id_revision_1").bounding_box(), difference.bounding_box()
    assert box and below
    assert below["width"] > 0.8 * box["width"]


@pytest.mark.parametrize("size", [20, 24, 32])
def test_with_larger_type_all_of_the_header_is_in_a_phones_window(
    page: Page, site: Site, size: int
) -> None:
    page.set_viewport_size(PHONE)
    show(page, site, task_page(COMPLETE))
    page.fill("#id_assertion", "The driver is kind.")
    expect(page.locator("#saved-state")).to_contain_text("Saved ")

    sizes = {"standard": size, "fixed": size}
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})

    assert not scrolls_sideways(page)
    help_key, saved = (page.locator(f"#{name}") for name in ("instructions-link", "saved-state"))
    key, words = help_key.bounding_box(), saved.bounding_box()
    assert key and words
    assert key["x"] + key["width"] <= PHONE["width"]
    assert words["y"] >= key["y"] + key["height"]


def test_the_story_comes_back_below_a_header_that_says_it_cannot_save(
    page: Page, site: Site
) -> None:
    page.set_viewport_size(PHONE)
    show(page, site, task_page(COMPLETE))
    site.draft_status = 503
    page.fill("#id_changed_assertion", "The driver is in a hurry.")
    expect(page.locator("#saved-state")).to_contain_text("Not saved")
    page.locator("#step-4").scroll_into_view_if_needed()

    page.click("#story-link")

    header, story = page.locator(".task-header").bounding_box(), page.locator(".story")
    sheet = story.bounding_box()
    assert header and sheet
    assert round(sheet["y"]) == round(header["y"] + header["height"])


def test_by_keyboard_the_story_is_put_away_when_the_next_box_has_the_focus(
    page: Page, site: Site
) -> None:
    page.set_viewport_size(PHONE)
    show(page, site, task_page())
    page.fill("#id_assertion", "The driver is patient.")
    expect(page.locator("#story-link")).to_have_attribute("data-needed", "")
    page.keyboard.press("Enter")
    expect(page.locator("[data-sheet]")).to_have_count(1)

    page.keyboard.press("Space")
    page.keyboard.press("Enter")

    expect(page.locator("#id_changed_assertion")).to_be_focused()
    expect(page.locator("[data-sheet]")).to_have_count(0)


def test_on_a_phone_the_way_to_the_ticks_brings_the_story_and_keeps_the_place(
    page: Page, site: Site
) -> None:
    page.set_viewport_size(PHONE)
    show(page, site, task_page())
    page.fill("#id_assertion", "The driver is patient.")
    way = page.locator("[data-go-to-story]")
    way.scroll_into_view_if_needed()
    expect(page.locator("#story-link")).to_have_attribute("data-needed", "")

    way.click()
    page.locator("[data-sheet] #tick-2").check()
    expect(page.locator("[data-ticked]:visible")).to_have_count(1)
    page.locator(".story-back").click()

    expect(page.locator("[data-sheet]")).to_have_count(0)
    expect(way).to_be_in_viewport()
