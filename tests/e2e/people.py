"""People at real browsers."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Frame,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    expect,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser import FLAGS, chromium_path
from tests.stack import Stack

WINDOW: ViewportSize = {"width": 1280, "height": 900}
PATIENCE_MS = 30_000
COOKIES_ALLOWED, THIRD_PARTY_BLOCKED = 0, 1
# A cookie as permissive as there is: whether the frame can keep it depends on the profile alone.
PROBE = """() => {
  try { document.cookie = "probe=1; SameSite=None; Secure; Path=/"; } catch (error) { return ""; }
  return document.cookie.includes("probe=1") ? "kept" : "";
}"""


class Person:
    """A worker at a browser: cookies of their own, whoever else uses the same Chromium."""

    def __init__(self, chromium: Browser, *, scripts: bool = True) -> None:
        self._sit_down(chromium.new_context(viewport=WINDOW, java_script_enabled=scripts))

    def _sit_down(self, context: BrowserContext) -> None:
        self.context = context
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = context.pages[0] if context.pages else context.new_page()

    # --- On the worker site -----------------------------------------------------------------------

    def join(self, invitation: str, name: str) -> None:
        self.page.goto(invitation)
        self.page.locator("[name=display_name]").fill(name)
        self.page.get_by_role("button", name="Join").click()
        self.personal_link = self.page.locator("#personal-link").input_value()

    def come_back(self, address: str) -> None:
        """Sign in by the personal link, as on a new device, and go on where one was."""
        self.page.goto(self.personal_link)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(re.compile("/worker/$"))
        self.page.goto(address)

    def accept(self, site: str) -> "Frame":
        """Take a HIT from the list; the frame with its task."""
        self.accept_offer(site)
        return self.frame()

    def accept_offer(self, site: str) -> None:
        until(lambda: self.finds_offers(site), self.page, "something is on offer")
        self.offers().first.click()
        self.page.get_by_role("button", name="Accept").click()
        self.page.wait_for_url(re.compile("/worker/assignments/"))

    def finds_offers(self, site: str) -> bool:
        """Look at the list anew: what somebody let lapse comes back to it within seconds."""
        self.page.goto(f"{site}/worker/")
        return self.offers().count() > 0

    def offers(self) -> Locator:
        """The links to the HITs on the list."""
        return self.page.locator(".hit h3 a")

    def frame(self) -> Frame:
        handle = self.page.locator("iframe#frame").element_handle()
        assert handle is not None
        frame = handle.content_frame()
        assert frame is not None
        frame.wait_for_load_state()
        return frame

    def let_lapse(self, stack: Stack) -> None:
        """The time of the assignment on the page runs out: on both sides at once, as clocks do."""
        assignment_id = self.page.url.rstrip("/").rsplit("/", 1)[-1]
        for table, column in (
            ("marketplace_assignment", "assignment_id"),
            ("studies_assignment", "marketplace_id"),
        ):
            stack.query(
                f"UPDATE {table} SET deadline = now() - interval '70 seconds' WHERE {column} = %s",
                assignment_id,
            )

    # --- In the frame -----------------------------------------------------------------------------

    def agree(self) -> Frame:
        """Consent, allow the recording and close the instructions, as on a first visit."""
        self.frame().get_by_role("button", name=re.compile("agree", re.I)).click()
        self.frame().get_by_role("button", name="Yes, record it").click()
        frame = self.frame()
        try:
            frame.get_by_role("button", name=re.compile("close|start", re.I)).first.click()
        except PlaywrightTimeout as error:
            shown = frame.locator("body").inner_text(timeout=1000)
            raise AssertionError(f"no instructions at {frame.url}, but: {shown}") from error
        return frame

    def do_task(self, frame: Frame, marker: str) -> None:
        """Fill the four steps with the mouse and submit; ends on the worker site's thank-you."""
        self.fill_task(frame, marker)
        frame.get_by_role("button", name=re.compile("^Submit")).click()
        self.thanked()

    def fill_task(self, frame: Frame, marker: str) -> None:
        frame.locator("[name=assertion]").fill(f"Someone is {marker}.")
        frame.locator("[name=justification]").nth(1).check()
        frame.locator("[name=changed_assertion]").fill(f"Nobody is {marker}.")
        frame.locator("[name=revision_5]").fill("Nothing more came of it.")

    def thanked(self) -> None:
        expect(self.page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible(
            timeout=PATIENCE_MS
        )


class Owner(Person):
    """At a Chromium of their own, whose profile outlives it."""

    def __init__(self, playwright: Playwright, profile: Path, cookies: int) -> None:
        self.playwright = playwright
        self.profile = profile
        self.cookies = cookies
        self.open_browser()

    def open_browser(self) -> None:
        self._sit_down(open_chromium(self.playwright, self.profile, self.cookies))

    def kill_browser(self) -> None:
        """As when the computer dies: no page gets a word in."""
        for pid in _processes_of(self.profile):
            os.kill(pid, signal.SIGKILL)
        with _ignored_end():
            self.context.close()
        for name in ("SingletonLock", "SingletonCookie", "SingletonSocket"):
            (self.profile / name).unlink(missing_ok=True)


def open_chromium(playwright: Playwright, profile: Path, cookies: int) -> BrowserContext:
    """Start a Chromium on this folder. Its other contexts treat cookies as the profile does."""
    preferences = profile / "Default" / "Preferences"
    if not preferences.exists():
        preferences.parent.mkdir(parents=True, exist_ok=True)
        preferences.write_text(json.dumps({"profile": {"cookie_controls_mode": cookies}}))
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium_path(), headless=True, args=FLAGS, viewport=WINDOW
    )


def saved(frame: Frame) -> None:
    expect(frame.locator("#saved-state")).to_have_text(re.compile(r"Saved \d"), timeout=PATIENCE_MS)


def tab_to(page: Page, frame: Frame | Page, reached: str, limit: int = 120) -> None:
    """Press Tab until the JavaScript expression `reached` holds for the focused element `e`."""
    check = f"() => {{ const e = document.activeElement; return Boolean(e && ({reached})); }}"
    for _ in range(limit):
        page.keyboard.press("Tab")
        if frame.evaluate(check) and frame.evaluate("document.hasFocus()"):
            return
    raise AssertionError(f"Tab never reached {reached}")


def until(condition: Callable[[], bool], page: Page, what: str) -> None:
    for _ in range(300):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never: {what}")


def _processes_of(profile: Path) -> list[int]:
    mine = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if f"--user-data-dir={profile}".encode() in command.split(b"\0"):
                mine.append(int(entry.name))
    return mine


@contextmanager
def _ignored_end() -> Iterator[None]:
    """Playwright complains that the browser is gone, which is what was asked for."""
    from playwright.sync_api import Error

    try:
        yield
    except Error as error:
        if "closed" not in str(error):
            raise
