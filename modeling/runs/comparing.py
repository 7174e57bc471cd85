"""Runs side by side: those that differ in their seed alone are one line, with mean and spread."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any

from modeling.models import Run

# The parts of an output and the metric, as in "revision gleu".
Metric = tuple[str, str]


@dataclass
class Line:
    """`scores` has one value a run that is done."""

    runs: list[Run] = field(default_factory=list)
    scores: dict[Metric, list[float]] = field(default_factory=dict)

    @property
    def first(self) -> Run:
        return self.runs[0]

    @property
    def seeds(self) -> list[int]:
        return [run.seed for run in self.runs]

    def figures(self, metrics: Iterable[Metric]) -> list[dict[str, Any] | None]:
        """Mean, standard deviation where there are two seeds or more, and how many."""
        return [_figure(self.scores.get(metric)) for metric in metrics]


def compare(runs: Iterable[Run]) -> tuple[list[Metric], list[Line]]:
    """The metrics that any of them has, and the lines in the order of their first runs. What was
    run again with the same seed is no further run: the latest counts, as in reports."""
    by_seed: dict[str, dict[int, Run]] = {}
    for run in runs:
        by_seed.setdefault(_all_but_seed(run), {})[run.seed] = run
    lines = [Line(sorted(found.values(), key=lambda run: run.pk)) for found in by_seed.values()]
    metrics: dict[Metric, None] = {}
    for line in lines:
        for run in line.runs:
            for part, values in run.facts.get("scores", {}).items():
                for name, value in values.items():
                    metrics[part, name] = None
                    line.scores.setdefault((part, name), []).append(value)
    return list(metrics), lines


def _all_but_seed(run: Run) -> str:
    same = (run.study_id, run.release_id, run.files, run.task, run.input, run.partition, run.name)
    return json.dumps([*same, run.method, run.configuration], sort_keys=True)


def _figure(values: list[float] | None) -> dict[str, Any] | None:
    if not values:
        return None
    spread = stdev(values) if len(values) > 1 else None
    return {"mean": mean(values), "sd": spread, "runs": len(values)}
