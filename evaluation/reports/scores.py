"""From what single items score to the lines of a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

PERCENT = 100


class ReportRefused(Exception):
    """The report cannot be made as asked; the text says why and what to do."""


@dataclass(frozen=True)
class Metric:
    """A column of a table.

    A line's value is `scale` times the mean of its scores, or with `adds` their sum. An item that
    is expected and absent scores `absent`; `unit` expected items make one score. `interval` says
    whether it comes with one, of resamples of the sources.
    """

    slug: str
    title: Any
    about: Any
    scale: float = PERCENT
    absent: float | None = None
    unit: int = 1
    adds: bool = False
    interval: bool = False

    @property
    def is_percent(self) -> bool:
        return not self.adds and self.scale == PERCENT

    def digits(self, usual: int) -> int:
        """Behind the point; sums are counts and have none."""
        return 0 if self.adds else usual


@dataclass(frozen=True)
class Score:
    """What one item, or several together, add to a number. `weight` is what they add to n.

    Where metrics have an interval, `value` is a part of `whole`, and scores of one `source` are
    drawn together.
    """

    system: str
    metric: str
    items: tuple[int, ...]
    value: float
    weight: int = 1
    rival: str = ""
    question: str = ""
    whole: float = 1.0
    source: str = ""

    @property
    def alone(self) -> float:
        """As if there were no other."""
        return self.value / self.whole if self.whole else 0.0

    @property
    def cell(self) -> "Cell":
        return Cell(self.system, self.rival, self.question, self.metric)


@dataclass(frozen=True)
class Cell:
    """Where a number stands in the table."""

    system: str
    rival: str
    question: str
    metric: str


@dataclass(frozen=True)
class Line:
    """A number and how many scores it rests on; without any it is None. `interval` is of 95%; where
    it `has_interval` and that is None, it is not known."""

    cell: Cell
    value: float | None
    n: int
    interval: tuple[float, float] | None = None
    has_interval: bool = False

    def as_dict(self) -> dict[str, object]:
        cell = self.cell
        more = {"rival": cell.rival, "question": cell.question}
        ends = dict(zip(("ci_low", "ci_high"), self.interval or (None, None), strict=True))
        return {
            "system": cell.system,
            **{name: value for name, value in more.items() if value},
            "metric": cell.metric,
            "value": self.value,
            "n": self.n,
            **(ends if self.has_interval else {}),
        }


def lines_of(
    scores: Iterable[Score], metrics: Sequence[Metric], expected_items: int | None = None
) -> list[Line]:
    """One for each cell, in the order of systems and of metrics. Raises ReportRefused."""
    known = {metric.slug: metric for metric in metrics}
    cells: dict[Cell, list[Score]] = {}
    rows: dict[tuple[str, str, str], None] = {}
    for score in scores:
        cells.setdefault(score.cell, []).append(score)
        rows.setdefault((score.system, score.rival, score.question))
    return [
        _line(cell, cells[cell], known[cell.metric], expected_items)
        for row in rows
        for cell in (Cell(*row, metric.slug) for metric in metrics)
        if cell in cells
    ]


def _line(cell: Cell, scores: Sequence[Score], metric: Metric, expected: int | None) -> Line:
    total, n = sum(score.value for score in scores), sum(score.weight for score in scores)
    if metric.adds:
        return Line(cell, total, n)
    if metric.interval:
        return _with_interval(cell, scores, metric)
    if expected is not None:
        total, n = (
            total + _absent(cell, metric, expected // metric.unit - n),
            expected // metric.unit,
        )
    return Line(cell, metric.scale * total / n if n else None, n)


def _with_interval(cell: Cell, scores: Sequence[Score], metric: Metric) -> Line:
    # Slow to import, and most commands have no use for it.
    from stats.means import mean

    found = mean(
        [score.value for score in scores],
        [score.whole for score in scores],
        clusters=[score.source or score.items for score in scores],
    )
    value = None if found.value is None else metric.scale * found.value
    interval = None
    if found.ci_low is not None and found.ci_high is not None:
        interval = metric.scale * found.ci_low, metric.scale * found.ci_high
    return Line(cell, value, found.n, interval, has_interval=True)


def _absent(cell: Cell, metric: Metric, missing: int) -> float:
    if metric.absent is None:
        raise ReportRefused(_("This report does not say what an absent item scores."))
    if missing < 0:
        raise ReportRefused(
            _("%(system)s has more items than are expected.") % {"system": cell.system}
        )
    return missing * metric.absent


def names_of(rows: Iterable[tuple[str, str, str]]) -> list[int]:
    """Which of system, rival and question tell these rows apart; the first always does."""
    found = list(rows)
    return [0, *(place for place in (1, 2) if any(row[place] for row in found))]


def as_rows(lines: Iterable[Line]) -> Mapping[tuple[str, str, str], dict[str, Line]]:
    """By row of the table: its lines by metric."""
    rows: dict[tuple[str, str, str], dict[str, Line]] = {}
    for line in lines:
        cell = line.cell
        rows.setdefault((cell.system, cell.rival, cell.question), {})[cell.metric] = line
    return rows
