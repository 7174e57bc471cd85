"""Waiting on a busy machine: as long as something goes on."""

import time


class Patience:
    """Is over once nothing has changed for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._seen: object = None
        self._since = time.monotonic()

    def is_over(self, seen: object = None) -> bool:
        now = time.monotonic()
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since > self.seconds
