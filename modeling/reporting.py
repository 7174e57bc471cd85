"""What a method says while it runs, and how it hears that it should stop."""

import time
from collections.abc import Callable
from typing import Any

from modeling.run_folder import Reason, RunFolder

EVERY_SECONDS = 1.0


class RunFailure(Exception):
    """The run cannot go on, for a reason that people are told; `detail` says what it is about."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class RunCancelled(Exception):
    """Somebody asked to stop. Raised between steps: keep a checkpoint, and let it pass."""


class TakenOver(Exception):
    """Another attempt owns the folder: nothing may be written into it any more."""


class Reporter:
    """Call `step` after every step: it costs two looks at files, and writes once a second.

    `values` may hold loss, metric (with its name in metric_name), memory_bytes, gpu_memory_bytes,
    gpu_share, learning_rate; the time left is worked out here.
    """

    def __init__(self, folder: RunFolder, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self.clock = clock
        self._owner = folder.owner()
        self._began: tuple[int, float] | None = None
        self._written = float("-inf")

    def step(self, step: int, steps: int, phase: str = "", **values: Any) -> None:
        """Raises RunCancelled and TakenOver."""
        now = self.clock()
        if self._began is None or step < self._began[0]:
            self._began = (step, now)
        if now - self._written >= EVERY_SECONDS or step == steps:
            self._written = now
            known = {name: value for name, value in values.items() if value is not None}
            told = {"step": step, "steps": steps, "phase": phase, "at": time.time()}
            self.folder.append_event(told | self._time_left(step, steps, now) | known)
        self.look_up()

    def look_up(self) -> None:
        """Whether to go on; for the time between two steps that takes long."""
        if self.folder.owner() != self._owner:
            raise TakenOver
        if self.folder.is_cancel_requested():
            raise RunCancelled

    def _time_left(self, step: int, steps: int, now: float) -> dict[str, float]:
        assert self._began is not None
        done, seconds = step - self._began[0], now - self._began[1]
        return {"eta_seconds": round(seconds / done * (steps - step), 1)} if done > 0 else {}
