"""Reward and time left are said once: by the worker site, not again by the page in its frame."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.e2e import study
from tests.e2e.people import Person
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
PRETEND = {"type": "fabula:strip", "shows": ["reward", "time"]}


@pytest.fixture
def mira(harbour: Stack, person: Person) -> Person:
    person.join(study.invitation(harbour, "Mira"), "Mira")
    return person


def test_what_the_strip_shows_is_not_repeated_below_it(harbour: Stack, mira: Person) -> None:
    page = mira.page
    mira.accept(harbour.worker_site_url)
    frame = mira.agree()

    expect(page.locator("#timer")).to_have_text(re.compile("left"))
    expect(page.locator(".work-reward")).to_have_text("$0.35")
    expect(frame.locator("#timer")).to_be_hidden()
    expect(frame.locator(".task-reward")).to_be_hidden()
    expect(frame.locator("#step-counter")).to_be_visible()

    page.set_viewport_size({"width": 360, "height": 700})
    expect(page.locator(".work-reward")).to_be_visible()
    expect(frame.locator(".task-reward")).to_be_hidden()
    expect(frame.locator("#timer")).to_be_hidden()
    for width in (320, 360):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator(".work-bar").bounding_box() == {
            "x": 0,
            "y": 0,
            "width": width,
            "height": 53,
        }

    mira.let_lapse(harbour)
    page.reload()
    expect(page.get_by_role("heading", name=re.compile("time .* ran out"))).to_be_visible()


@pytest.mark.parametrize("path", ["", "history/", "messages/", "account/"])
def test_letters_of_twice_the_size_stay_within_a_narrow_window(
    harbour: Stack, mira: Person, path: str
) -> None:
    """As a browser's setting for the smallest letters makes them: no media query knows of it."""
    mira.page.set_viewport_size({"width": 360, "height": 700})
    mira.page.goto(f"{harbour.worker_site_url}/worker/{path}")
    mira.page.evaluate("document.documentElement.style.fontSize = '200%'")

    assert mira.page.evaluate("document.documentElement.scrollWidth") == 360


def test_in_a_low_window_the_task_scrolls_and_the_page_around_it_does_not(
    harbour: Stack, mira: Person
) -> None:
    page = mira.page
    mira.accept(harbour.worker_site_url)
    mira.agree()

    page.set_viewport_size({"width": 640, "height": 300})

    expect(page.locator("#frame")).to_have_class(re.compile("frame-fill"))
    assert page.evaluate("document.documentElement.scrollHeight") == 300


def test_where_nobody_else_counts_the_page_does_and_listens_to_no_stranger(
    harbour: Stack, mira: Person
) -> None:
    """Another marketplace's page around the frame answers nothing; scripts inside are not heard."""
    mira.accept(harbour.worker_site_url)
    frame = mira.agree()
    alone = mira.context.new_page()
    alone.goto(frame.url)

    alone.evaluate("message => window.postMessage(message, '*')", PRETEND)

    expect(alone.locator("#timer")).to_have_text(re.compile("left"))
    expect(alone.locator(".task-reward")).to_be_visible()


def test_until_the_task_comes_the_page_around_it_says_so_and_then_no_more(
    harbour: Stack, mira: Person
) -> None:
    page, kept = mira.page, list[Route]()

    def keep(route: Route) -> None:
        asked = route.request
        if asked.is_navigation_request() and asked.frame.parent_frame and not kept:
            kept.append(route)
        else:
            route.continue_()

    mira.accept(harbour.worker_site_url)
    page.route("**/*", keep)
    page.reload(wait_until="commit")

    expect(page.get_by_text("The task is loading.").first).to_be_visible()
    expect(page.locator("#frame-news")).to_have_text("The task is loading.")
    place = page.locator("#frame").bounding_box()
    assert place and place["y"] == 53, "the words take no room"
    kept[0].continue_()
    expect(page.locator("#frame-news")).to_have_text("The task has loaded.")
    expect(page.locator(".frame-wait")).to_be_hidden()
    expect(page.frame_locator("#frame").locator("main")).to_be_visible()
