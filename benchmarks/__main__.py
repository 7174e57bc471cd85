"""Run every measurement and print a table and JSON."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests import environment

environment.prepare(durable=True)

# Django's settings come from the environment above.
from benchmarks.agreement import measure_agreement  # noqa: E402
from benchmarks.figures import Figure, as_json, as_table, summary  # noqa: E402
from benchmarks.machine import (  # noqa: E402
    fsyncs_per_second,
    pieces_of_all_cores,
    pieces_per_second,
)
from benchmarks.measures import measure_crowd, measure_files, measure_publishers  # noqa: E402
from benchmarks.pages import measure_large_study, measure_pages  # noqa: E402
from benchmarks.training import measure_training  # noqa: E402


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
        core, all_cores = [pieces_per_second()], [pieces_of_all_cores()]
        figures += _told(
            measure_crowd(
                folder,
                sizes=sizes + ([1_000_000] if given.full else []),
                clients=[4] if given.quick else [1, 4, 16],
                runs=runs,
            )
        )
        core.append(pieces_per_second())
        figures += _told(measure_publishers(folder, hits=100 if given.quick else 400, runs=runs))
        core.append(pieces_per_second())
        rows = [2_000, 10_000] if given.quick else [10_000, 100_000]
        figures += _told(measure_files(folder, sizes=rows, runs=runs))
        core.append(pieces_per_second())
        figures += _told(measure_agreement(folder, runs=runs))
        core.append(pieces_per_second())
        figures += _told(measure_training(folder, runs=runs))
    figures += _told(measure_pages(rows=100_000 if given.quick else 1_000_000, runs=runs))
    figures += _told(measure_large_study(runs=runs))
    core.append(pieces_per_second())
    all_cores.append(pieces_of_all_cores())
    piece = "a small piece of Python"
    figures.insert(1, summary("one core", piece, "times/s", core, core[0]))
    figures.insert(2, summary("all cores at once", piece, "times/s", all_cores, core[0]))
    print(as_table(figures))
    print(as_json(figures))


def _told(figures: list[Figure]) -> list[Figure]:
    """Said as soon as they are known: the whole takes long, and may be broken off."""
    print(as_table(figures), file=sys.stderr, flush=True)
    return figures


if __name__ == "__main__":
    main()
