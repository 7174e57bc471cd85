"""The curves of a run: their rows, thinned out, and how they are drawn."""

from typing import Any

from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext as _

from modeling.models import Run

MOST_POINTS = 400
# Among what a method reports, what is worth a curve.
LOSS, METRIC = "loss", "metric"
SPEC: dict[str, Any] = {
    "height": 240,
    "data": {"name": "points"},
    "encoding": {
        "x": {
            "field": "step",
            "type": "quantitative",
            "title": None,
            "axis": {"tickMinStep": 1, "tickCount": 6, "labelOverlap": True},
        },
        "y": {"field": "value", "type": "quantitative", "title": None},
    },
    "layer": [
        {
            "transform": [{"filter": "datum.kind == 'loss'"}],
            "mark": {"type": "line", "style": "plain", "strokeWidth": 2},
        },
        {
            "transform": [{"filter": "datum.kind == 'metric'"}],
            "mark": {"type": "point", "style": "changed", "filled": True, "size": 50},
        },
        {
            "transform": [
                {
                    "window": [{"op": "row_number", "as": "n"}],
                    "groupby": ["curve"],
                    "sort": [{"field": "step", "order": "descending"}],
                },
                {"filter": "datum.n == 1"},
            ],
            "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -6},
            "encoding": {"text": {"field": "curve"}},
        },
    ],
}


def rows_of(run: Run, *, most: int | None = MOST_POINTS) -> list[dict[str, Any]]:
    """At most so many points, evenly chosen; the last one is always among them."""
    points = run.points.filter(values__has_any_keys=[LOSS, METRIC]).order_by("phase", "step")
    every = max(1, -(-points.count() // most)) if most else 1
    if every > 1:
        number = Window(RowNumber(), order_by=[F("phase").desc(), F("step").desc()])
        points = points.annotate(number=number - 1).annotate(rest=F("number") % every)
        points = points.filter(rest=0)
    return [
        row for step, values in points.values_list("step", "values") for row in _of(step, values)
    ]


def _of(step: int, values: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    if LOSS in values:
        found.append({"kind": LOSS, "curve": _("loss"), "step": step, "value": values[LOSS]})
    if METRIC in values:
        name = values.get("metric_name", METRIC)
        found.append({"kind": METRIC, "curve": name, "step": step, "value": values[METRIC]})
    return found
