"""The speed of stats/, as ratios to the libraries that do the same; also by itself:
python -m benchmarks.agreement

Times are the processor's: others at work on the machine interrupt a long piece of work and seldom a
short one.
"""

import subprocess
import sys
import tempfile
import time
import tracemalloc
import venv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure, as_table, interleaved, summary
from stats.agreement import gwet_ac, krippendorff_alpha
from stats.bootstrap import bootstrap
from stats.choices import COEFFICIENT_NAMES, LEVELS

Ratings = NDArray[np.float64]
# It wants a numpy older than ours.
IRRCAC = "irrcac==0.4.4"
BY_IRRCAC = """
import sys, time
import numpy, pandas
from irrCAC.raw import CAC
table = pandas.DataFrame(numpy.load(sys.argv[1]))
def once():
    start = time.process_time()
    CAC(table, weights="quadratic", categories=[1, 2, 3, 4, 5]).gwet()
    return (time.process_time() - start) * 1000
once()
print(min(once() for _ in range(7)))
"""


def measure_agreement(folder: Path, *, runs: int) -> list[Figure]:
    figures = against_irrcac(folder, runs=runs)
    for level in LEVELS:
        figures += against_krippendorff(level, items=100_000, q=5, runs=runs)
        figures += against_krippendorff(level, items=1_000, q=100, runs=runs)
    figures += memory()
    for name in COEFFICIENT_NAMES:
        figures += resamples(name, runs=runs)
    return figures


def draw(items: int, q: int) -> Ratings:
    """Three raters, who agree more often than not."""
    rng = np.random.default_rng(1)
    seen = rng.integers(1, q + 1, (items, 1))
    return np.where(rng.random((items, 3)) < 0.6, seen, rng.integers(1, q + 1, (items, 3))) * 1.0


def milliseconds(work: Callable[[], Any]) -> float:
    """The quickest of seven."""
    taken = []
    for _ in range(7):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken) * 1000


def against_irrcac(folder: Path, *, runs: int) -> list[Figure]:
    """AC2 with standard error. Without irrCAC, where it cannot be installed, only ours."""
    ratings, file = draw(100_000, 5), folder / "ratings.npy"
    np.save(file, ratings)
    ours = partial(gwet_ac, ratings, categories=range(1, 6), weights="quadratic")
    ours()
    measures: dict[str, Callable[[], float]] = {"Fabula": partial(milliseconds, ours)}
    python = install_irrcac(folder)
    if python is not None:
        command = [str(python), "-c", BY_IRRCAC, str(file)]
        measures["irrCAC"] = lambda: float(subprocess.check_output(command))
    return interleaved("AC2 with SE, 100,000 x 3 x 5", "ms", measures, runs=runs)


def install_irrcac(folder: Path) -> Path | None:
    """The interpreter of an environment of its own; None, said aloud, where it cannot be had."""
    print("  installing irrCAC apart", file=sys.stderr)
    venv.create(folder / "irrcac", with_pip=True)
    python = folder / "irrcac" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", IRRCAC]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        print(f"  left out, since it cannot be installed:\n{done.stderr}", file=sys.stderr)
        return None
    return python


def against_krippendorff(level: Any, *, items: int, q: int, runs: int) -> list[Figure]:
    """The library on ratings as it takes them: raters by items."""
    ratings, scale = draw(items, q), list(range(1, q + 1))
    ours = partial(krippendorff_alpha, ratings, categories=scale, level=level, resamples=0)
    theirs = partial(krippendorff.alpha, ratings.T, value_domain=scale, level_of_measurement=level)
    ours()
    measures: dict[str, Callable[[], float]] = {
        "Fabula": partial(milliseconds, ours),
        "krippendorff": partial(milliseconds, theirs),
    }
    return interleaved(f"alpha, {level}, {items:,} x 3 x {q}", "ms", measures, runs=runs)


def memory() -> list[Figure]:
    """At most held at a time, beside what the library would hold: four arrays of N x Q x Q."""
    ratings, scale = draw(100_000, 100), list(range(1, 101))
    tracemalloc.start()
    krippendorff_alpha(ratings, categories=scale, level="ordinal", resamples=0)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return [summary("alpha, 100,000 x 3 x 100", "peak memory", "MiB", [peak], peak)]


def resamples(name: str, *, runs: int) -> list[Figure]:
    work = partial(bootstrap, name, draw(10_000, 5), categories=range(1, 6), weights="quadratic")
    once, often = partial(work, resamples=0), partial(work, resamples=1000)
    once()
    measures: dict[str, Callable[[], float]] = {
        "one evaluation": partial(milliseconds, once),
        "1,000 resamples": partial(milliseconds, often),
    }
    return interleaved(f"{name}, 10,000 x 3 x 5", "ms", measures, runs=runs)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(as_table(measure_agreement(Path(name), runs=5)))
