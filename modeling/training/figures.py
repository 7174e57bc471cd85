"""What a process uses of its machine, for whoever watches a run."""

import resource
import sys
import time

import torch

from modeling.reporting import EVERY_SECONDS
from modeling.training.device import Device

# In bytes; elsewhere the system counts KiB.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Figures:
    """Looked up as often as they are told: asking a GPU takes time."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._found: dict[str, float] = {}
        self._until = float("-inf")

    def now(self) -> dict[str, float]:
        if time.monotonic() >= self._until:
            self._found = self._look()
            self._until = time.monotonic() + EVERY_SECONDS
        return self._found

    def _look(self) -> dict[str, float]:
        found: dict[str, float] = {
            "memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
        }
        if self.device.torch.type == "cuda":
            found["gpu_memory_bytes"] = torch.cuda.max_memory_reserved(self.device.torch)
            found["gpu_share"] = torch.cuda.utilization(self.device.torch) / 100
        return found
