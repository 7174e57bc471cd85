import threading
import time

from tests.chaos.site import Site

POLL_SECONDS = 0.2


class Outages(threading.Thread):
    """Watches how long the site is not ready."""

    def __init__(self, site: Site) -> None:
        super().__init__(name="outages", daemon=True)
        self.site = site
        self.longest = 0.0
        self.ending = threading.Event()

    def run(self) -> None:
        ready_at = time.monotonic()
        while not self.ending.wait(POLL_SECONDS):
            now = time.monotonic()
            if self.site.is_ready():
                self.longest = max(self.longest, now - ready_at)
                ready_at = time.monotonic()
