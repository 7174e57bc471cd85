"""The plot of a report."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from evaluation.reports.making import Made
from evaluation.reports.scores import Cell, Line, Metric
from studies.figures.figure import Figure


def figure_of(made: Made) -> Figure:
    if made.agreement:
        return _agreement(made)
    if made.correlations:
        return _correlations(made)
    return _strengths(made) if made.strengths else _metrics(made)


def _metrics(made: Made) -> Figure:
    with_interval = any(line.interval for line in made.lines)
    axis = _("Percent") if all(one.is_percent for one in made.metrics) else _("Value")
    rows: list[dict[str, Any]] = [
        {"row": _name(line.cell, metric), "value": line.value}
        | (_ends(line) if with_interval else {})
        for metric in made.metrics
        for line in made.lines
        if line.cell.metric == metric.slug and line.value is not None
    ]
    return Figure(
        slug=made.report.name.replace("_", "-"),
        title=str(made.report.title),
        says=_("Each number of the table, and beside it the same one of other systems."),
        columns={"row": _("Number"), "value": axis}
        | ({"low": _("from"), "high": _("to")} if with_interval else {}),
        rows=rows,
        chart=_with_interval(_dots(axis), rows) if with_interval else _dots(axis),
        empty=_("There is nothing to draw."),
    )


def _ends(line: Line) -> dict[str, float | None]:
    """An interval that is not known is no line."""
    return dict(zip(("low", "high"), line.interval or (None, None), strict=True))


def _name(cell: Cell, metric: Metric) -> str:
    names = [str(metric.title), cell.question, cell.system, cell.rival]
    return " · ".join(filter(None, names))


def _agreement(made: Made) -> Figure:
    rows: list[dict[str, Any]] = [
        {
            "row": line.question,
            "value": line.value,
            "low": line.found.ci_low,
            "high": line.found.ci_high,
        }
        for line in made.agreement
        if line.found is not None and line.value is not None
    ]
    return Figure(
        slug="agreement",
        title=_("Agreement"),
        says=_("The coefficient of each question with its 95% interval."),
        columns={"row": _("Question"), "value": _("Value"), "low": _("from"), "high": _("to")},
        rows=rows,
        chart=_with_interval(_dots(_("Gwet’s AC")), rows),
        empty=_("No coefficient is defined."),
    )


def _correlations(made: Made) -> Figure:
    rows: list[dict[str, Any]] = [
        {
            "row": f"{line.title} · {name}",
            "value": found.value,
            "low": found.ci_low,
            "high": found.ci_high,
        }
        for line in made.correlations
        for name, found in line.found.items()
        if found.value is not None
    ]
    return Figure(
        slug="correlation",
        title=_("Metrics and people"),
        says=_("How far each metric goes together with validity, with its 95% interval."),
        columns={"row": _("Metric"), "value": _("Value"), "low": _("from"), "high": _("to")},
        rows=rows,
        chart=_with_interval(_dots(_("Correlation")), rows),
        empty=_("No correlation is defined."),
    )


def _strengths(made: Made) -> Figure:
    rows: list[dict[str, Any]] = [
        {
            "row": f"{line.question} · {line.system}",
            "value": line.value,
            "low": line.ci_low,
            "high": line.ci_high,
        }
        for line in made.strengths
        if line.value is not None
    ]
    return Figure(
        slug="strengths",
        title=_("Strength"),
        says=_("How strong each system is by each question, with its 95% interval."),
        columns={"row": _("System"), "value": _("Value"), "low": _("from"), "high": _("to")},
        rows=rows,
        chart=_with_interval(_dots(_("Strength, in log odds")), rows),
        empty=_("No strength is defined yet."),
    )


def _with_interval(dots: dict[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A line behind each dot; its rows have `low` and `high`. Their order is named: of itself it is
    that of the rows with a line, and then of the others."""
    place = dots["encoding"]
    place["y"]["scale"] = {"domain": [row["row"] for row in rows]}
    interval = {
        "transform": [{"filter": "datum.low !== null"}],
        "mark": {"type": "rule", "style": "plain", "strokeWidth": 2},
        "encoding": {
            "y": place["y"],
            "x": {**place["x"], "field": "low"},
            "x2": {"field": "high"},
        },
    }
    return {"layer": [interval, dots]}


def _dots(title: str) -> dict[str, Any]:
    """A dot for each row, on a line of its own that begins at nought."""
    return {
        "mark": {"type": "circle", "style": "plain", "size": 70, "opacity": 1},
        "encoding": {
            "y": {
                "field": "row",
                "type": "nominal",
                "sort": None,
                "title": None,
                # A long name is cut in the middle: its end says of which system a number is.
                "axis": {"labelExpr": "truncate(datum.label, 32, 'center')", "labelLimit": 220},
            },
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": title,
                "scale": {"zero": True},
                "axis": {"tickCount": 6},
            },
        },
    }
