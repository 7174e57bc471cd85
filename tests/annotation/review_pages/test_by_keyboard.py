"""The review page in a browser: its keys, what it does when the server is away, without scripts."""

import re
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect, sync_playwright

from annotation.models import ReviewPlan, Verdict
from tests.annotation.review_pages.desk import make_desk, make_reviewer
from tests.annotation.review_pages.test_two_reviewers import sign_in
from tests.browser import launch
from tests.stack import Stack

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
ADDRESS = "document.querySelector('#review').dataset.address"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def plan(stack: Stack) -> ReviewPlan:
    with stack.django():
        return make_desk(each=4)


@pytest.fixture
def opened(stack: Stack, plan: ReviewPlan, chromium: Browser) -> Iterator[Open]:
    """An expert's tab with the first response in it."""
    contexts = []

    def open_page(*, scripts: bool = True) -> Page:
        with stack.django():
            user = make_reviewer(plan.study, "ottilie")
        context = chromium.new_context(
            viewport={"width": 1366, "height": 768}, java_script_enabled=scripts
        )
        contexts.append(context)
        page = context.new_page()
        sign_in(stack, page, user)
        page.goto(f"{stack.task_site_url}/admin/annotation/turn/study/{plan.study_id}/next/")
        return page

    yield open_page
    for context in contexts:
        context.close()


def press(page: Page, key: str) -> None:
    """A verdict; the next response is there afterwards."""
    before = page.evaluate(ADDRESS)
    page.keyboard.press(key)
    page.wait_for_function(f"before => {ADDRESS} !== before", arg=before)


def given(stack: Stack) -> list[tuple[str, str, str]]:
    with stack.django():
        current = Verdict.objects.filter(replaced_at=None).order_by("pk")
        return list(current.values_list("judgement", "reason", "remark"))


def test_a_story_of_five_sentences_fits_without_scrolling(opened: Open) -> None:
    page = opened()

    for key in ("", "4"):
        if key:
            page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollHeight") <= 768
        assert page.evaluate("document.documentElement.scrollWidth") <= 1366


def test_the_keys_reject_with_words_undo_put_off_and_open_the_guide(
    stack: Stack, opened: Open
) -> None:
    page = opened()
    first = page.evaluate(ADDRESS)

    page.keyboard.press("4")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator(".review-error")).to_have_text("Say in your own words what is wrong.")
    page.keyboard.type("1 car is gone")
    press(page, "Enter")
    assert given(stack) == [("reject", "other", "1 car is gone")]

    page.keyboard.press("z")
    page.wait_for_url(f"**{first}")
    assert given(stack) == []
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="What a verdict says")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="What a verdict says")).to_be_hidden()
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Reject at: Justification")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Reject at: Justification")).to_be_hidden()
    page.keyboard.press("l")
    page.wait_for_url(lambda url: first not in url)
    expect(page.get_by_text("1 for later")).to_be_visible()


def test_the_keys_are_named_and_their_reasons_in_sight_at_a_desk_in_letters_of_twice_the_size(
    opened: Open,
) -> None:
    page = opened()

    page.set_viewport_size({"width": 683, "height": 384})

    expect(page.locator(".review-yes .kbd").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 683
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Reject at: Justification")).to_be_in_viewport()


def test_a_held_key_judges_one_response(stack: Stack, opened: Open) -> None:
    page = opened()
    before = page.evaluate(ADDRESS)

    page.keyboard.down("g")
    page.wait_for_function(f"before => {ADDRESS} !== before", arg=before)
    for _ in range(5):
        page.keyboard.down("g")
    page.keyboard.up("g")

    assert len(given(stack)) == 1


def test_while_the_server_is_away_nothing_is_lost(stack: Stack, opened: Open) -> None:
    page = opened()
    before = page.evaluate(ADDRESS)
    page.context.set_offline(True)

    page.keyboard.press("a")

    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    assert page.evaluate(ADDRESS) == before
    page.context.set_offline(False)
    press(page, "a")
    assert given(stack) == [("correct", "", "")]


def test_who_was_signed_out_meanwhile_is_asked_to_sign_in(stack: Stack, opened: Open) -> None:
    page = opened()
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    page.keyboard.press("a")

    page.wait_for_url(re.compile("/admin/login/"))
    assert given(stack) == []


def test_words_are_kept_for_who_signs_in_again(stack: Stack, opened: Open) -> None:
    page = opened()
    page.keyboard.press("2")
    page.keyboard.press("0")
    page.keyboard.type("the rain says it")
    # As after signing in again in another tab.
    page.context.clear_cookies(name=settings.CSRF_COOKIE_NAME)

    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    expect(page.locator("#review-remark-2")).to_have_value("the rain says it")
    press(page, "Enter")
    assert given(stack) == [("reject", "other", "the rain says it")]


def test_without_scripts_it_is_links_and_buttons(stack: Stack, opened: Open) -> None:
    page = opened(scripts=False)

    page.get_by_role("link", name="Justification").click()
    page.get_by_role("button", name=re.compile("Not minimal")).click()
    page.get_by_role("button", name=re.compile("^Good")).click()
    page.get_by_role("button", name="Undo").click()

    assert given(stack) == [("reject", "not_minimal", "")]
    expect(page.get_by_text("1 of 4")).to_be_visible()


def test_undo_while_a_verdict_is_being_sent_takes_that_one_back(stack: Stack, opened: Open) -> None:
    page = opened()
    press(page, "a")
    page.wait_for_load_state("networkidle")
    second = page.evaluate(ADDRESS)
    slow_down(page)

    page.keyboard.press("g")
    expect(page.locator("#review[aria-busy]")).to_be_attached()
    page.keyboard.press("z")

    page.wait_for_url(f"**{second}")
    expect(page.locator("#review[aria-busy]")).not_to_be_attached()
    assert given(stack) == [("correct", "", "")]
    with stack.django():
        taken_back = Verdict.objects.exclude(replaced_at=None).get()
    assert taken_back.grade == "good"


def slow_down(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 500, "downloadThroughput": -1, "uploadThroughput": -1},
    )
