from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import launch
from tests.static.site import Site

EMPTY = "<!doctype html><title>Empty</title>"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser a module: Playwright's loop must not outlive it, or Django refuses the ORM."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def running_site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def site() -> Iterator[Site]:
    """A site of its own for each test: what a page sends as it closes reaches no later test."""
    with Site(page=EMPTY) as site:
        yield site


@pytest.fixture(scope="module")
def blank(chromium: Browser, running_site: Site) -> Page:
    """An empty page of the site, for modules that need none: shared, so that it is quick."""
    running_site.page = EMPTY
    page = chromium.new_page(base_url=running_site.address)
    page.goto("/")
    return page


@pytest.fixture
def page(chromium: Browser, site: Site) -> Iterator[Page]:
    """A page on the site; an error in a script, or a breach of the policy, fails the test."""
    context = chromium.new_context(base_url=site.address, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda line: problems.append(line.text) if "Content Security" in line.text else None,
    )
    yield page
    context.close()
    assert problems == []
