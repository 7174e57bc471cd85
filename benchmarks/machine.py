"""What the machine itself does at this moment: figures are worth something beside these."""

import os
import subprocess
import sys
import time
from pathlib import Path

from config.embedded.layout import BASE_DIR

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


def pieces_of_all_cores() -> float:
    """The same when every core is at it, together. Two threads of one core are no two cores: less
    than `pieces_per_second` times their number is what a site has that keeps them all busy."""
    command = [sys.executable, "-m", "benchmarks.machine"]
    running = [
        subprocess.Popen(command, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True)
        for _core in range(os.cpu_count() or 1)
    ]
    return sum(float(one.communicate()[0]) for one in running)


if __name__ == "__main__":
    print(pieces_per_second(seconds=1.0))
