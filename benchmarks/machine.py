"""What the machine itself does at this moment: figures are worth something beside these."""

import os
import time
from pathlib import Path

PIECE = 10_000


def fsyncs_per_second(folder: Path, seconds: float = 0.5) -> float:
    """How often this disk makes a small write durable: what every commit waits for."""
    with (folder / "fsync").open("wb") as file:
        count, started = 0, time.perf_counter()
        while time.perf_counter() - started < seconds:
            file.write(b"x" * 512)
            file.flush()
            os.fsync(file.fileno())
            count += 1
    return count / seconds


def pieces_per_second(seconds: float = 0.5) -> float:
    """How often one core does a small piece of Python: borrowed machines halve it at times."""
    count, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        kept: dict[str, list[int]] = {}
        for number in range(PIECE):
            kept.setdefault(f"key {number % 100}", []).append(len(kept))
        count += 1
    return count / seconds
