"""Run every measurement and print a table and JSON."""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests import environment

environment.prepare(durable=True)

from benchmarks import crowd, files  # noqa: E402  (Django's settings come from the environment above)
from benchmarks.figures import Figure, as_json, as_table, interleaved, summary  # noqa: E402
from benchmarks.publishers import publish  # noqa: E402
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
    """Accept, page, open, submit and send on, by open tasks and by clients at once."""
    with ExitStack() as open_stacks:
        crowds: dict[int, Crowd] = {}
        for size in sizes:
            place = folder / f"open-{size}"
            stack = open_stacks.enter_context(
                Stack(folder=place, blocker=NoBlocker(), processes=("web",))
            )
            crowd.open_round(stack, folder, tasks=size)
            crowds[size] = Crowd(stack, *crowd.make_workers(stack, max(clients)))
        figures: list[Figure] = []
        for count in clients:
            taken: dict[int, list[crowd.Times]] = {size: [] for size in sizes}
            measures: dict[str, Callable[[], float]] = {
                f"{size:,} open": partial(crowds[size].rate, count, taken[size]) for size in sizes
            }
            figures += interleaved(f"{count} clients", "tasks/s", measures, runs=runs)
            figures += percentiles(count, taken)
        return figures


@dataclass(frozen=True)
class Crowd:
    stack: Stack
    group: str
    workers: list[crowd.Worker]

    def rate(self, clients: int, taken: list[crowd.Times]) -> float:
        rate, times = crowd.throughput(self.stack, self.group, self.workers[:clients], tasks=48)
        taken.append(times)
        return rate


def percentiles(clients: int, taken: dict[int, list[crowd.Times]]) -> list[Figure]:
    """p50 and p95 of each step, beside those with the fewest open tasks."""
    figures = []
    for step in crowd.STEPS:
        for name, cut in (("p50", 9), ("p95", 18)):
            by_size = {
                size: [statistics.quantiles(run[step], n=20)[cut] * 1000 for run in runs]
                for size, runs in taken.items()
            }
            first = statistics.median(next(iter(by_size.values())))
            figures += [
                summary(f"{clients} clients {step} {name}", f"{size:,} open", "ms", values, first)
                for size, values in by_size.items()
            ]
    return figures


def measure_publishers(folder: Path, *, hits: int, runs: int) -> list[Figure]:
    with Stack(folder=folder / "publish", blocker=NoBlocker(), processes=("web",)) as stack:
        study.make_requester(stack)
        measures: dict[str, Callable[[], float]] = {
            f"{count} at once": partial(publish, stack, publishers=count, hits=hits)
            for count in (1, 4)
        }
        return interleaved("publish", "HITs/s", measures, runs=runs)


def measure_files(folder: Path, *, rows: int, runs: int) -> list[Figure]:
    """Stories in; responses out while two people work; seconds and peak memory of each."""
    many = folder / "many.csv"
    files.write_stories(many, rows)
    with Stack(folder=folder / "files", blocker=NoBlocker(), processes=("web",)) as stack:
        crowd.open_round(stack, folder, tasks=20_000)
        group, workers = crowd.make_workers(stack, 3)
        files.fill_responses(stack, group, workers[0], count=rows)
        taken: dict[str, list[tuple[float, float]]] = {"import": [], "export": []}
        for run in range(runs):
            taken["import"].append(files.bring_in(stack, f"bench-{run}", many))
            with files.people_at_work(stack, group, workers[1:]):
                taken["export"].append(files.take_out(stack, folder / "out.jsonl"))
    figures = []
    for name, pairs in taken.items():
        rates, peaks = [rows / seconds for seconds, _ in pairs], [peak for _, peak in pairs]
        label = f"{rows:,} rows"
        figures += [
            summary(name, label, "rows/s", rates, statistics.median(rates)),
            summary(f"{name}, peak memory", label, "MiB", peaks, statistics.median(peaks)),
        ]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller measurements")
    parser.add_argument("--full", action="store_true", help="also with a million open tasks")
    given = parser.parse_args()
    sizes = [1000, 10_000] if given.quick else [1000, 10_000, 100_000]
    runs = 3 if given.quick else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rate = fsyncs_per_second(folder)
        print(f"  {rate:,.0f} fsyncs a second on this disk", file=sys.stderr)
        figures = [summary("disk", "durable small writes", "fsyncs/s", [rate], rate)]
        figures += measure_crowd(
            folder,
            sizes=sizes + ([1_000_000] if given.full else []),
            clients=[4] if given.quick else [1, 4, 16],
            runs=runs,
        )
        figures += measure_publishers(folder, hits=100 if given.quick else 400, runs=runs)
        figures += measure_files(folder, rows=10_000 if given.quick else 100_000, runs=runs)
    print(as_table(figures))
    print(as_json(figures))


if __name__ == "__main__":
    main()
