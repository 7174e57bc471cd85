"""What `make bench` measures, on sites of its own."""

import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import crowd, files
from benchmarks.figures import Figure, interleaved, summary
from benchmarks.publishers import publish
from benchmarks.workers import (
    STEPS,
    Worker,
    make_workers,
    percentile,
    three_steps,
    whole_tasks,
)
from tests.e2e import study
from tests.stack import Stack

# Done in one measurement.
TASKS = 64


EXPORT_FORMATS = ("jsonl", "pasta-jsonl", "csv")


class NoBlocker:
    """Outside pytest nothing guards the database."""

    @contextmanager
    def unblock(self) -> Iterator[None]:
        yield


def measure_crowd(folder: Path, *, sizes: list[int], clients: list[int], runs: int) -> list[Figure]:
    """What workers get done, by open tasks and by clients at once."""
    with ExitStack() as open_stacks:
        crowds: dict[int, Crowd] = {}
        for size in sizes:
            stack = open_stacks.enter_context(
                Stack(folder=folder / f"open-{size}", blocker=NoBlocker(), processes=("web",))
            )
            crowd.open_round(stack, folder, tasks=size)
            crowds[size] = Crowd(stack, make_workers(stack, TASKS))
            # What each process and connection does once is not measured, nor a table that
            # PostgreSQL takes for empty: it looks again within a minute.
            whole_tasks(crowds[size].workers[: max(clients)], tasks=2 * TASKS)
            crowd.add_tasks(stack.query, count=2 * TASKS)
            stack.query("VACUUM ANALYZE")
        return [figure for count in clients for figure in by_size(crowds, count, runs)]


@dataclass(frozen=True)
class Crowd:
    """Workers of a site that has so many open tasks, again after each measurement."""

    stack: Stack
    workers: list[Worker]

    def do(self, measure: Callable[[], float]) -> float:
        taken = measure()
        crowd.add_tasks(self.stack.query, count=TASKS)
        return taken


def by_size(crowds: dict[int, Crowd], clients: int, runs: int) -> list[Figure]:
    name = f"{clients} client{'s' * (clients > 1)}"
    steps: dict[str, Callable[[], float]] = {
        f"{size:,} open": partial(one.do, partial(three_steps, one.workers, clients=clients))
        for size, one in crowds.items()
    }
    whole: dict[str, Callable[[], float]] = {
        f"{size:,} open": partial(one.do, partial(whole_tasks, one.workers[:clients], tasks=TASKS))
        for size, one in crowds.items()
    }
    figures = interleaved(f"accept+open+submit, {name}", "tasks/s", steps, runs=runs)
    for one in crowds.values():
        for worker in one.workers:
            worker.forget()
    figures += interleaved(f"all five requests, {name}", "tasks/s", whole, runs=runs)
    return figures + percentiles(name, {size: one.workers for size, one in crowds.items()})


def percentiles(name: str, crowds: dict[int, list[Worker]]) -> list[Figure]:
    """p50 and p95 of each of the five requests, beside those with the fewest open tasks."""
    figures = []
    for step in STEPS:
        for percent in (50, 95):
            found = {
                size: percentile([t for w in workers for t in w.took[step]], percent) * 1000
                for size, workers in crowds.items()
            }
            first = next(iter(found.values()))
            figures += [
                summary(f"{name}, {step} p{percent}", f"{size:,} open", "ms", [value], first)
                for size, value in found.items()
            ]
    return figures


def measure_publishers(folder: Path, *, hits: int, runs: int) -> list[Figure]:
    with Stack(folder=folder / "publish", blocker=NoBlocker(), processes=("web",)) as stack:
        study.make_requester(stack)
        measures: dict[str, Callable[[], float]] = {
            f"{count} at once": partial(publish, stack, publishers=count, hits=hits)
            for count in (1, 4, 16)
        }
        return interleaved("publish", "HITs/s", measures, runs=runs)


def measure_files(folder: Path, *, sizes: list[int], runs: int) -> list[Figure]:
    """Stories in; responses out while two people work. The last size is the one that counts."""
    figures = []
    for size in sizes:
        place = folder / f"files-{size}"
        with Stack(folder=place, blocker=NoBlocker(), processes=("web",)) as stack:
            figures += measure_rows(stack, folder, rows=size, runs=runs)
    return figures


def measure_rows(stack: Stack, folder: Path, *, rows: int, runs: int) -> list[Figure]:
    many = folder / "many.csv"
    files.write_stories(many, rows)
    crowd.open_round(stack, folder, tasks=20_000)
    workers = make_workers(stack, 3)
    files.fill_responses(stack, workers[0], count=rows)
    # The first start compiles the modules.
    files.start_up(stack)
    starts: list[files.Taken] = []
    taken: dict[str, list[files.Taken]] = {"import csv": []}
    for run in range(runs):
        starts.append(files.start_up(stack))
        taken["import csv"].append(files.bring_in(stack, f"bench-{run}", many))
        for fmt in EXPORT_FORMATS:
            with files.people_at_work(workers[1:]):
                done = files.take_out(stack, folder / "out", fmt=fmt)
            taken.setdefault(f"export {fmt}", []).append(done)
    figures = [figure for name, done in taken.items() for figure in rates(name, rows, done, starts)]
    return [*figures, *of_each("start of a command", f"beside {rows:,} rows", starts)]


def rates(
    name: str, rows: int, taken: list[files.Taken], starts: list[files.Taken]
) -> list[Figure]:
    """Rows a second, from the command's start and from its first row; and what it takes."""
    start = min(start.seconds for start in starts)
    whole = [rows / done.seconds for done in taken]
    # A disturbed start may last longer than a whole command: then it says nothing.
    net = [rows / (done.seconds - start) for done in taken if done.seconds > start]
    label, first = f"{rows:,} rows", statistics.median(whole)
    figures = [summary(name, f"{label}, start included", "rows/s", whole, first)]
    if net:
        figures.append(summary(name, f"{label}, start left out", "rows/s", net, first))
    return [*figures, *of_each(name, label, taken)]


def of_each(name: str, label: str, taken: list[files.Taken]) -> list[Figure]:
    cpu = [done.cpu_seconds for done in taken]
    peaks = [done.peak_mib for done in taken]
    return [
        summary(f"{name}, processor", label, "s", cpu, statistics.median(cpu)),
        summary(f"{name}, peak memory", label, "MiB", peaks, statistics.median(peaks)),
    ]
