from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect, sync_playwright

from tests.e2e import study
from tests.e2e.people import PATIENCE_MS
from tests.stack import Stack

CONSENT = "Take part? You may stop whenever you like."
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """One a module: its loop must not outlive it, or Django refuses the ORM."""
    with sync_playwright() as started:
        yield started


@pytest.fixture
def harbour(stack: Stack, tmp_path: Path) -> Stack:
    """A stack with a study of four stories, a consent text and an open round of eight slots."""
    study.make_requester(stack)
    study.make_study(stack, tmp_path)
    stack.query("UPDATE studies_study SET consent_text = %s", CONSENT)
    study.launch_round(stack, overlap=2)
    return stack
