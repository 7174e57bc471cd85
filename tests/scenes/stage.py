"""Sets the site and a browser up for one scene after another."""

from collections.abc import Iterator
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.scenes.scene import Scene, Visit
from tests.scenes.world import Ground, World, prepare, seed
from tests.stack import Stack

SCHEMES = ("light", "dark")
WIDTHS = (360, 768, 1366, 1440)
# A desk's window of 1440 px at 200%.
ZOOMED = 720
# A desk's window of 1280 px at 400%.
NARROWEST = 320
HEIGHTS = {NARROWEST: 640, 360: 740, ZOOMED: 450, 768: 1024, 1366: 768, 1440: 900}
PATIENCE_MS = 20_000
# On every page from its beginning: to send it to one that stands takes twice as long.
AXE = f"globalThis.lookWithAxe = () => {{ {Axe().axe_script} }};"


class Stage:
    """A stack, a tab, and what the site has on it: nothing yet, or something of everything."""

    def __init__(self, stack: Stack, browser: Browser) -> None:
        self.stack = stack
        self.context = browser.new_context(reduced_motion="reduce", timezone_id="Europe/Berlin")
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(AXE)
        self.page = self.context.new_page()
        self.ground: Ground | None = None

    @contextmanager
    def shown(self, scene: Scene) -> Iterator[Visit]:
        """The tab, showing the scene."""
        self._set(bare=scene.bare)
        assert self.ground is not None
        self.context.clear_cookies()
        dress(self.page, width=1366, scheme="light")
        visit = Visit(self.ground, self.page)
        try:
            scene.show(visit)
            yield visit
        finally:
            self.context.set_offline(False)
            self.page.unroute_all()

    def _set(self, *, bare: bool) -> None:
        if self.ground is None or isinstance(self.ground, World) == bare:
            self.ground = prepare(self.stack) if bare else seed(self.stack)


def dress(page: Page, *, width: int, scheme: str) -> None:
    """The page at this width, in light or in dark."""
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    # The admin asks for the scheme once, when it loads.
    page.evaluate(
        """dark => {
            const page = document.documentElement;
            if (page.hasAttribute("x-data")) page.classList.toggle("dark", dark);
        }""",
        scheme == "dark",
    )
