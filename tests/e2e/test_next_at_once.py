"""Going on to the next task by itself: said once, and stopped by a key."""

import pytest
from playwright.sync_api import expect

from tests.e2e import study
from tests.e2e.people import Person
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
BOX = "Accept the next one at once"
KEEP_WHAT_IS_SAID = """() => {
  window.said = [];
  new MutationObserver((changes) => {
    const told = new Set(changes.map(({ target }) => target.closest?.("[role=status]")));
    for (const status of told) if (status?.textContent.trim()) said.push(status.textContent.trim());
  }).observe(document, { childList: true, subtree: true });
}"""


def test_the_next_task_is_announced_once_and_escape_stops_it(
    harbour: Stack, person: Person
) -> None:
    person.join(study.invitation(harbour, "Mira"), "Mira")
    page = person.page
    person.accept(harbour.worker_site_url)
    frame = person.agree()
    with page.expect_response("**/preferences/"):
        page.get_by_role("checkbox", name=BOX).check()
    page.add_init_script(f"({KEEP_WHAT_IS_SAID})()")

    person.do_task(frame, "patient")
    notice = page.locator("#next-soon")
    expect(notice).to_contain_text("Accepting the next one in 2 s.")
    page.keyboard.press("Escape")

    expect(notice).to_be_hidden()
    expect(page.get_by_role("button", name="Accept the next one")).to_be_focused()
    assert page.evaluate("said") == ["Accepting the next one in 3 s."]


def test_a_wish_that_was_not_kept_goes_back_and_is_said(harbour: Stack, person: Person) -> None:
    person.join(study.invitation(harbour, "Mira"), "Mira")
    page = person.page
    person.accept(harbour.worker_site_url)
    box, notice = page.get_by_role("checkbox", name=BOX), page.locator("#not-kept")

    person.context.set_offline(True)
    box.click()
    expect(notice).to_contain_text("could not be changed")
    expect(box).not_to_be_checked()
    person.context.set_offline(False)
    box.click()
    expect(notice).to_be_hidden()
    expect(box).to_be_checked()

    person.context.clear_cookies(name="fabula_session")
    box.click()
    expect(notice).to_be_visible()
    expect(box).to_be_checked()
