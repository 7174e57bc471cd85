"""A worker in Chromium while the database is away or the network is bad: told so, nothing lost."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Frame, Playwright, expect, sync_playwright

from tests.chaos import processes
from tests.chaos.site import Site
from tests.e2e.people import THIRD_PARTY_BLOCKED, Person, open_chromium, saved

pytestmark = [pytest.mark.browser, pytest.mark.chaos, pytest.mark.timeout(300)]
AWAY_SECONDS = 30
SLOW = {"offline": False, "latency": 600, "downloadThroughput": 20_000, "uploadThroughput": 8_000}
OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def chromium(playwright: Playwright, folder: Path) -> Iterator[Browser]:
    profile = open_chromium(playwright, folder / "chromium", THIRD_PARTY_BLOCKED)
    assert profile.browser is not None
    yield profile.browser
    profile.close()


@pytest.fixture
def person(site: Site, chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Person]:
    person = Person(chromium)
    name = request.node.name
    person.join(site.manage("create_invitation", name).strip(), name[:30])
    yield person
    person.context.close()


def open_task(site: Site, person: Person) -> Frame:
    frame = person.accept(site.worker_site_url)
    frame.get_by_role("button", name=re.compile("close|start", re.I)).first.click()
    return frame


def answers(site: Site, beginning: str) -> list[str]:
    rows = site.query(
        "SELECT answers->>'assertion' FROM studies_response WHERE answers->>'assertion' LIKE %s",
        f"{beginning}%",
    )
    return [text for (text,) in rows]


@contextmanager
def frozen(pids: list[int]) -> Iterator[None]:
    """Processes that hold still: connections stay open and nothing answers."""
    for pid in pids:
        processes.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            processes.kill(pid, signal.SIGCONT)


def test_the_database_is_away_for_half_a_minute(site: Site, person: Person) -> None:
    frame = open_task(site, person)
    state = frame.locator("#saved-state")
    frame.locator("[name=assertion]").fill("Someone is kept")
    saved(frame)
    postgres = site.server("postgres")
    assert postgres is not None

    with frozen([postgres, *processes.children_of(postgres)]):
        began = time.monotonic()
        frame.locator("[name=assertion]").press_sequentially(" waiting for the rain")
        expect(state).to_contain_text("Not saved", timeout=25_000)
        person.page.wait_for_timeout(max(0, AWAY_SECONDS - (time.monotonic() - began)) * 1000)
        expect(state).to_contain_text("Not saved")
        expect(frame.locator("[name=assertion]")).to_have_value(
            "Someone is kept waiting for the rain"
        )

    expect(state).to_have_text(re.compile(r"Saved \d"), timeout=40_000)
    person.page.reload()
    frame = person.frame()
    expect(frame.locator("[name=assertion]")).to_have_value("Someone is kept waiting for the rain")
    person.do_task(frame, "kept waiting for the rain")
    assert answers(site, "Someone is kept") == ["Someone is kept waiting for the rain."]


def test_a_slow_network_that_comes_and_goes(site: Site, person: Person) -> None:
    frame = open_task(site, person)
    state = frame.locator("#saved-state")
    # The frame is another site than the page around it: each has a network of its own.
    network = [person.context.new_cdp_session(one) for one in (person.page, frame)]
    for session in network:
        session.send("Network.enable")

    change(network, SLOW)
    frame.locator("[name=assertion]").press_sequentially("Someone is patient", delay=40)
    saved(frame)
    change(network, OFFLINE)
    frame.locator("[name=assertion]").press_sequentially(" and far away", delay=20)
    expect(state).to_contain_text("Not saved: no connection", timeout=20_000)
    for letter in " on a slow line.":
        change(network, SLOW if letter in " aeiou" else OFFLINE)
        frame.locator("[name=assertion]").press_sequentially(letter)
        person.page.wait_for_timeout(150)
    frame.locator("[name=justification]").nth(1).check()
    frame.locator("[name=changed_assertion]").fill("Nobody is patient.")
    frame.locator("[name=revision_5]").fill("Nothing more came of it.")
    change(network, OFFLINE)
    frame.get_by_role("button", name=re.compile("^Submit")).click()
    expect(frame.locator("#submit-problem")).to_contain_text("Not submitted", timeout=20_000)
    assert answers(site, "Someone is patient") == []

    change(network, SLOW)
    frame.get_by_role("button", name=re.compile("^Submit")).click()

    person.thanked()
    assert answers(site, "Someone is patient") == [
        "Someone is patient and far away on a slow line."
    ]


def change(network: list[CDPSession], conditions: dict[str, Any]) -> None:
    for session in network:
        session.send("Network.emulateNetworkConditions", conditions)
