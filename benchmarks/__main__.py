"""Run every measurement and print a table and JSON."""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests import environment

environment.prepare(durable=True)

from benchmarks import crowd, files  # noqa: E402  (Django's settings come from the environment above)
from benchmarks.figures import Figure, as_json, as_table, interleaved, summary  # noqa: E402
from benchmarks.machine import fsyncs_per_second, pieces_per_second  # noqa: E402
from benchmarks.pages import measure_pages  # noqa: E402
from benchmarks.publishers import publish  # noqa: E402
from benchmarks.workers import (  # noqa: E402
    STEPS,
    Worker,
    make_workers,
    percentile,
    three_steps,
    whole_tasks,
)
from tests.e2e import study  # noqa: E402
from tests.stack import Stack  # noqa: E402

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
        crowds: dict[int, list[Worker]] = {}
        for size in sizes:
            stack = open_stacks.enter_context(
                Stack(folder=folder / f"open-{size}", blocker=NoBlocker(), processes=("web",))
            )
            crowd.open_round(stack, folder, tasks=size)
            crowds[size] = make_workers(stack, TASKS)
            # What each process and connection does once is not measured.
            whole_tasks(crowds[size][: max(clients)], tasks=2 * TASKS)
        return [figure for count in clients for figure in by_size(crowds, count, runs)]


def by_size(crowds: dict[int, list[Worker]], clients: int, runs: int) -> list[Figure]:
    name = f"{clients} client{'s' * (clients > 1)}"
    steps: dict[str, Callable[[], float]] = {
        f"{size:,} open": partial(three_steps, workers, clients=clients)
        for size, workers in crowds.items()
    }
    whole: dict[str, Callable[[], float]] = {
        f"{size:,} open": partial(whole_tasks, workers[:clients], tasks=TASKS)
        for size, workers in crowds.items()
    }
    figures = interleaved(f"accept+open+submit, {name}", "tasks/s", steps, runs=runs)
    for workers in crowds.values():
        for worker in workers:
            worker.forget()
    figures += interleaved(f"all five requests, {name}", "tasks/s", whole, runs=runs)
    return figures + percentiles(name, crowds)


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
        core = [pieces_per_second()]
        figures += measure_crowd(
            folder,
            sizes=sizes + ([1_000_000] if given.full else []),
            clients=[4] if given.quick else [1, 4, 16],
            runs=runs,
        )
        core.append(pieces_per_second())
        figures += measure_publishers(folder, hits=100 if given.quick else 400, runs=runs)
        core.append(pieces_per_second())
        rows = [2_000, 10_000] if given.quick else [10_000, 100_000]
        figures += measure_files(folder, sizes=rows, runs=runs)
        core.append(pieces_per_second())
    figures += measure_pages(rows=100_000 if given.quick else 1_000_000, runs=runs)
    core.append(pieces_per_second())
    figures.insert(1, summary("one core", "a small piece of Python", "times/s", core, core[0]))
    print(as_table(figures))
    print(as_json(figures))


if __name__ == "__main__":
    main()
