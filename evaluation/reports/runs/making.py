"""A report on the runs of a study, and the grids that show it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from evaluation.reports.making import Asked
from evaluation.reports.runs.figures import Line
from evaluation.reports.runs.reading import answers_of, families_of
from evaluation.reports.runs.registry import RunsReport
from evaluation.reports.scores import ReportRefused
from studies.models import Study

NONE = "–"
EVERYTHING = Asked()
Show = Callable[[float], str]


@dataclass(frozen=True)
class RunsMade:
    report: RunsReport
    lines: Sequence[Line]
    systems: tuple[str, ...] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [line.as_dict() for line in self.lines]


@dataclass(frozen=True)
class Grid:
    """A task's table: names of its first columns and of the others, and its rows."""

    task: str
    names: list[str]
    columns: list[str]
    rows: list[tuple[list[str], list[str]]]


def make_runs_report(study: Study, report: RunsReport, asked: Asked = EVERYTHING) -> RunsMade:
    """Of what can be asked, systems have a meaning here. Raises ReportRefused."""
    systems = asked.systems
    if asked != replace(EVERYTHING, systems=systems, rule=asked.rule):
        raise ReportRefused(
            _("A report on runs can be asked for systems alone: leave everything else out.")
        )
    families = families_of(study, systems=systems)
    lines = list(report.lines(families, list(answers_of(study, families))))
    if not lines:
        raise ReportRefused(_("There are no finished runs for this report yet."))
    return RunsMade(report, lines, systems)


def grids_of(made: RunsMade, show: Show) -> list[Grid]:
    """One for each task, since tasks have their own metrics."""
    tasks = dict.fromkeys(line.family.task for line in made.lines)
    return [
        _grid(made.report, task, [one for one in made.lines if one.family.task == task], show)
        for task in tasks
    ]


def _grid(report: RunsReport, task: str, lines: Sequence[Line], show: Show) -> Grid:
    rows: dict[tuple[str, ...], dict[str, list[Line]]] = {}
    columns: dict[str, None] = {}
    for line in lines:
        column = line.place[report.columns] if report.columns else line.metric
        key = (line.system, *filter(None, [line.place.get(report.rows, "")]))
        columns.setdefault(column)
        rows.setdefault(key, {}).setdefault(column, []).append(line)
    names = ["system", *filter(None, [report.rows])]
    body = [
        ([*key], [*(_cell(cells.get(column, ()), show) for column in columns), *_counts(cells)])
        for key, cells in rows.items()
    ]
    return Grid(task, names, [*columns, "seeds", "n"], body)


def _cell(lines: Sequence[Line], show: Show) -> str:
    """A number; where there are two, the second one in brackets."""
    shown = [_shown(line, show) for line in lines]
    return " ".join([*shown[:1], *(f"({more})" for more in shown[1:])]) or NONE


def _shown(line: Line, show: Show) -> str:
    return show(line.value) if line.sd is None else f"{show(line.value)} ± {show(line.sd)}"


def _counts(cells: dict[str, list[Line]]) -> list[str]:
    lines = [line for found in cells.values() for line in found]
    seeds = dict.fromkeys(f"{len(line.family.runs):,}" for line in lines)
    outputs = max(line.n for line in lines)
    return ["/".join(seeds), f"{outputs:,}"]
