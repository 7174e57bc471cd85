"""What a measurement is, and how it is printed."""

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """The median of several interleaved runs; `relative` to the first figure of its group."""

    group: str
    name: str
    unit: str
    median: float
    lowest: float
    highest: float
    runs: int
    relative: float


def interleaved(
    group: str, unit: str, measures: dict[str, Callable[[], float]], *, runs: int
) -> list[Figure]:
    """Take each measure `runs` times, in turns, so that a slow minute touches all alike."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(runs):
        for name, measure in measures.items():
            taken[name].append(measure())
    first = statistics.median(next(iter(taken.values())))
    return [summary(group, name, unit, values, first) for name, values in taken.items()]


def summary(group: str, name: str, unit: str, values: Sequence[float], first: float) -> Figure:
    median = statistics.median(values)
    return Figure(
        group=group,
        name=name,
        unit=unit,
        median=round(median, 2),
        lowest=round(min(values), 2),
        highest=round(max(values), 2),
        runs=len(values),
        relative=round(median / first, 2),
    )


def as_table(figures: Sequence[Figure]) -> str:
    head = f"{'measure':<44}{'median':>12}  {'range':<24}{'relative':>9}"
    lines = [head, "-" * len(head)]
    for figure in figures:
        span = f"{figure.lowest:,.1f} to {figure.highest:,.1f}"
        name = f"{figure.group}: {figure.name}"
        lines.append(
            f"{name:<44}{figure.median:>12,.1f}  {span:<24}{figure.relative:>9.2f}  {figure.unit}"
        )
    return "\n".join(lines)


def as_json(figures: Sequence[Figure]) -> str:
    return json.dumps([asdict(figure) for figure in figures], indent=2)
