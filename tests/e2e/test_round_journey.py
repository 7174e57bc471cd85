"""A round from launch to export: three people at real browsers, whatever happens to them.

The worker site is on `localhost`, the task pages on `127.0.0.1`: two sites, as in production.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect

from tests.e2e import study
from tests.e2e.people import (
    COOKIES_ALLOWED,
    PROBE,
    THIRD_PARTY_BLOCKED,
    Owner,
    Person,
    saved,
    tab_to,
    until,
)
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(480)]
COUNT_RESPONSES = "SELECT count(*) FROM studies_response WHERE state = 'confirmed'"


def test_the_frame_cannot_keep_a_cookie_where_it_is_blocked_and_can_where_it_is_not(
    harbour: Stack, playwright: Playwright, tmp_path: Path
) -> None:
    kept = {}
    for mode in (THIRD_PARTY_BLOCKED, COOKIES_ALLOWED):
        person = Owner(playwright, tmp_path / f"mode-{mode}", mode)
        person.join(study.invitation(harbour, f"mode {mode}"), "Someone")
        kept[mode] = person.accept(harbour.worker_site_url).evaluate(PROBE)
        person.context.close()

    assert kept == {THIRD_PARTY_BLOCKED: "", COOKIES_ALLOWED: "kept"}


def test_three_people_work_through_a_round(
    harbour: Stack, chromium: Browser, playwright: Playwright, tmp_path: Path
) -> None:
    site = harbour.worker_site_url
    ada, bo = Person(chromium), Person(chromium)
    cy = Owner(playwright, tmp_path / "Cy", THIRD_PARTY_BLOCKED)
    for person, name in ((ada, "Ada"), (bo, "Bo"), (cy, "Cy")):
        person.join(study.invitation(harbour, name), name)

    # Ada does one, takes the next at once and returns it.
    ada.accept(site)
    ada.do_task(ada.agree(), "patient")
    ada.page.get_by_role("button", name="Accept the next one").click()
    ada.page.wait_for_url(re.compile("/worker/assignments/"))
    expect(ada.page.locator("iframe#frame")).to_be_visible()
    ada.frame().locator("[name=assertion]").fill("Half a thought")
    saved(ada.frame())
    ada.page.locator("#return").click()
    ada.page.get_by_role("button", name=re.compile("Return")).last.click()
    expect(ada.page.get_by_text(re.compile("You returned"))).to_be_visible()
    harbour.wait_for("SELECT count(*) = 1 FROM studies_assignment WHERE state = 'returned'")

    # Bo lets one lapse. The truth is on the page, and the text comes back with the next one.
    bo.accept(site)
    frame = bo.agree()
    frame.locator("[name=assertion]").fill("Someone is forgetful.")
    saved(frame)
    bo.let_lapse(harbour)
    bo.page.reload()
    expect(bo.page.get_by_role("heading", name=re.compile("time .* ran out"))).to_be_visible()
    harbour.wait_for("SELECT count(*) = 1 FROM studies_assignment WHERE state = 'abandoned'")
    frame = bo.accept(site)
    expect(frame.locator("[name=assertion]")).to_have_value("Someone is forgetful.")
    bo.do_task(frame, "forgetful")

    # Cy loses the connection while writing, goes on, then the browser is killed.
    cy.accept(site)
    frame = cy.agree()
    cy.context.set_offline(True)
    frame.locator("[name=assertion]").fill("Someone is offline.")
    expect(frame.locator("#saved-state")).to_contain_text("Not saved", timeout=30_000)
    cy.context.set_offline(False)
    saved(frame)
    frame.locator("[name=justification]").first.check()
    frame.locator("[name=changed_assertion]").fill("Someone is online.")
    harbour.wait_for(
        "SELECT count(*) = 1 FROM studies_assignment "
        "WHERE draft->'fields'->>'changed_assertion' = 'Someone is online.'"
    )
    address = cy.page.url
    cy.kill_browser()
    cy.open_browser()
    cy.come_back(address)
    frame = cy.frame()
    expect(frame.locator("[name=assertion]")).to_have_value("Someone is offline.")
    expect(frame.locator("[name=changed_assertion]")).to_have_value("Someone is online.")
    cy.do_task(frame, "offline")

    # A paused round is hidden, and comes back.
    harbour.call("change_round", study.STUDY, "1", "pause")
    ada.page.goto(f"{site}/worker/")
    expect(ada.offers()).to_have_count(0)
    harbour.call("change_round", study.STUDY, "1", "resume")
    ada.page.goto(f"{site}/worker/")
    expect(ada.offers().first).to_be_visible()

    # Ada takes up what she had returned and finishes it by keyboard alone.
    work_by_keyboard(ada, site)

    harbour.wait_for(f"{COUNT_RESPONSES} HAVING count(*) = 4")
    rows = study.exported(harbour, tmp_path)
    confirmed = harbour.query(
        "SELECT answers->>'assertion' FROM studies_response WHERE state = 'confirmed'"
    )
    assert sorted(row["assertion"] for row in rows) == sorted(a for (a,) in confirmed)
    assert {a for (a,) in confirmed} == {
        "Someone is patient.",
        "Someone is forgetful.",
        "Someone is offline.",
        "Half a thought is kept.",
    }
    text = str(rows)
    for (worker_id,) in harbour.query("SELECT marketplace_id FROM studies_worker"):
        assert worker_id not in text
    for person in (ada, bo, cy):
        person.context.close()


def work_by_keyboard(person: Person, site: str) -> None:
    """From the list to the thank-you without touching the mouse."""
    page = person.page
    page.goto(f"{site}/worker/")
    tab_to(page, page, "e.matches('.hit h3 a')")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/worker/groups/"))
    tab_to(page, page, "e.tagName === 'BUTTON' && /^Accept/.test(e.textContent.trim())")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/worker/assignments/"))
    frame = person.frame()
    expect(frame.locator("[name=assertion]")).to_have_value("Half a thought")
    tab_to(page, frame, "e.name === 'assertion'")
    page.keyboard.press("End")
    page.keyboard.type(" is kept.")
    tab_to(page, frame, "e.name === 'justification' && e.value === '2'")
    page.keyboard.press("Space")
    tab_to(page, frame, "e.name === 'changed_assertion'")
    page.keyboard.type("It is gone.")
    tab_to(page, frame, "e.name === 'revision_5'")
    page.keyboard.press("Control+A")
    page.keyboard.type("It all went quiet.")
    until(lambda: frame.locator("#saved-state").inner_text().startswith("Saved"), page, "saved")
    page.keyboard.press("Control+Enter")
    person.thanked()
