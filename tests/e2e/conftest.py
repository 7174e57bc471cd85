from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.e2e import study
from tests.e2e.people import PATIENCE_MS, THIRD_PARTY_BLOCKED, Person, open_chromium
from tests.stack import Stack

CONSENT = "Take part? You may stop whenever you like."
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """One a module: its loop must not outlive it, or Django refuses the ORM."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def chromium(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that lets no frame of another site keep a cookie."""
    profile = open_chromium(playwright, tmp_path_factory.mktemp("chromium"), THIRD_PARTY_BLOCKED)
    assert profile.browser is not None
    yield profile.browser
    profile.close()


@pytest.fixture
def person(chromium: Browser) -> Iterator[Person]:
    person = Person(chromium)
    yield person
    person.context.close()


@pytest.fixture
def harbour(stack: Stack, tmp_path: Path) -> Stack:
    """A stack with a study of four stories, a consent text and an open round of eight slots."""
    study.make_requester(stack)
    study.make_study(stack, tmp_path)
    stack.query("UPDATE studies_study SET consent_text = %s", CONSENT)
    study.launch_round(stack, overlap=2)
    return stack
