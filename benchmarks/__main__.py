"""Run every measurement and print a table and JSON. `--quick` takes fewer and smaller ones."""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests import environment

environment.prepare(durable=True)

from benchmarks import crowd  # noqa: E402  (Django's settings come from the environment above)
from benchmarks.figures import Figure, as_json, as_table, interleaved  # noqa: E402
from tests.e2e import study  # noqa: E402
from tests.stack import Stack  # noqa: E402


class NoBlocker:
    """Outside pytest nothing guards the database."""

    @contextmanager
    def unblock(self) -> Iterator[None]:
        yield


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


def measure_crowd(folder: Path, *, sizes: list[int], clients: list[int], runs: int) -> list[Figure]:
    """Accept, open, submit and send on, by open tasks and by clients at once."""
    stacks: list[tuple[int, Stack]] = []
    figures: list[Figure] = []
    try:
        for size in sizes:
            stack = Stack(folder=folder / f"open-{size}", blocker=NoBlocker(), processes=("web",))
            stack.__enter__()
            stacks.append((size, stack))
            crowd.open_round(stack, folder, tasks=size)
        crowds = {size: crowd.make_workers(stack, max(clients)) for size, stack in stacks}
        for count in clients:
            spans: dict[int, list[float]] = {size: [] for size, _ in stacks}
            measures: dict[str, Callable[[], float]] = {
                f"{size:,} open": partial(_rate, stack, crowds[size], count, spans[size])
                for size, stack in stacks
            }
            figures += interleaved(f"{count} clients", "tasks/s", measures, runs=runs)
            for size, times in spans.items():
                print(f"  {count} clients, {size:,} open: {_percentiles(times)}", file=sys.stderr)
    finally:
        for _, stack in stacks:
            stack.__exit__(None, None, None)
    return figures


def _rate(
    stack: Stack, made: tuple[str, list[crowd.Worker]], clients: int, span: list[float]
) -> float:
    group, workers = made
    rate, times = crowd.throughput(stack, group, workers[:clients], tasks=48)
    span += times
    return rate


def measure_files(folder: Path, *, stories: int, runs: int) -> list[Figure]:
    """Stories in and published hits out, by the commands a researcher uses."""
    with Stack(folder=folder / "files", blocker=NoBlocker(), processes=("web",)) as stack:
        study.make_requester(stack)
        counter = iter(range(10_000))

        def bring_in() -> float:
            slug = f"bench-{next(counter)}"
            file = folder / "many.csv"
            if not file.exists():
                _write_stories(file, stories)
            stack.run_manage("create_study", slug)
            started = time.perf_counter()
            stack.run_manage("import_stories", slug, str(file))
            return stories / (time.perf_counter() - started)

        def publish() -> float:
            slug = f"bench-{next(counter)}"
            few = folder / "few.csv"
            _write_stories(few, 200)
            stack.run_manage("create_study", slug)
            stack.run_manage("import_stories", slug, str(few))
            started = time.perf_counter()
            stack.run_manage(
                *("launch_round", slug, "--task=state_annotation", "--overlap=2", "--reward=0.1")
            )
            return 400 / (time.perf_counter() - started)

        return [
            *interleaved("import", "rows/s", {f"{stories:,} stories": bring_in}, runs=runs),
            *interleaved("publish", "HITs/s", {"400 HITs, 4 publishers": publish}, runs=runs),
        ]


def _write_stories(file: Path, count: int) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.write("story_id,title,line1,line2,line3,line4,line5\n")
        for number in range(count):
            sentences = ",".join(f"{line} {number}" for line in study.STORIES[number % 4])
            out.write(f"b-{number},Story {number},{sentences}\n")


def _percentiles(times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=20)
    return f"p50 {cuts[9] * 1000:.0f} ms, p95 {cuts[18] * 1000:.0f} ms a task"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rate = fsyncs_per_second(folder)
        print(f"  {rate:,.0f} fsyncs a second on this disk", file=sys.stderr)
        runs = 3 if quick else 5
        figures = measure_crowd(
            folder,
            sizes=[1000, 10_000] if quick else [1000, 10_000, 100_000],
            clients=[4] if quick else [1, 4, 16],
            runs=runs,
        )
        figures += measure_files(folder, stories=10_000 if quick else 100_000, runs=runs)
    print(as_table(figures))
    print(as_json(figures))


if __name__ == "__main__":
    main()
