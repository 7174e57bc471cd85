"""A report as the page's table: numbers as text, each with the address of what is behind it."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from evaluation.reports.agreement import say_single_rated
from evaluation.reports.making import Made
from evaluation.reports.scores import Cell, Line, Metric, as_rows, names_of
from evaluation.reports.strengths import STRENGTH
from evaluation.reports.writing import p_value
from studies.numbers import rounded

NONE = "–"
STRENGTH_DIGITS = 3


@dataclass(frozen=True)
class Number:
    """`behind` is the query of the page with its items; `undefined` says why there is no value;
    `interval` stands beside it."""

    text: str
    behind: str = ""
    undefined: str = ""
    interval: str = ""


@dataclass(frozen=True)
class Table:
    """`names` of the first columns and `numbers` of the others; `notes` explain the numbers."""

    names: list[str]
    numbers: list[str]
    rows: list[tuple[list[str], list[Number]]]
    notes: list[tuple[str, str]]


def tables_of(made: Made) -> list[Table]:
    if made.agreement:
        return [_agreement(made)]
    if made.correlations:
        return [_correlations(made)]
    return [_metrics(made), *([_strengths(made)] if made.strengths else [])]


def query_of(cell: Cell) -> str:
    return urlencode({f"cell_{name}": value for name, value in vars(cell).items() if value})


def _metrics(made: Made) -> Table:
    rows = as_rows(made.lines)
    used = [m for m in made.metrics if any(m.slug in row for row in rows.values())]
    places = names_of(rows)
    names = [(_("System"), _("Compared with"), _("Question"))[place] for place in places]
    body = []
    for key, row in rows.items():
        numbers = [
            _number(row[metric.slug], metric, made) if metric.slug in row else Number(NONE)
            for metric in used
        ]
        counts = dict.fromkeys(
            number_format(line.n, 0, force_grouping=True) for line in row.values()
        )
        body.append(([key[place] for place in places], [*numbers, Number(" / ".join(counts))]))
    notes = [(str(metric.title), str(metric.about)) for metric in used]
    return Table(names, [*(str(metric.title) for metric in used), _("n")], body, notes)


def _number(line: Line, metric: Metric, made: Made) -> Number:
    digits = made.report.digits
    value = _shown(line.value, made)
    interval = _interval(*line.interval, digits=digits) if line.interval else ""
    if metric.is_percent and line.value is not None:
        value, interval = percent(value), interval and percent(interval)
    return Number(value, query_of(line.cell), interval=interval)


def percent(number: str) -> str:
    return _("%(number)s%%") % {"number": number}


def _agreement(made: Made) -> Table:
    numbers = [_("Gwet’s AC"), _("Standard error"), _("95% interval"), _("Weights"), _("Items")]
    body = []
    for line in made.agreement:
        found = line.found
        interval = _interval(found.ci_low, found.ci_high) if found else NONE
        cells = [
            Number(
                _shown(line.value, made),
                query_of(Cell("", "", line.question, "")) if found else "",
                line.undefined,
            ),
            Number(_shown(line.se, made)),
            Number(interval),
            Number(_weights(line.weights)),
            Number(number_format(line.n_items, 0, force_grouping=True)),
        ]
        body.append(([_("mean") if found is None and not line.weights else line.question], cells))
    return Table([_("Question")], numbers, body, _agreement_notes(made))


def _agreement_notes(made: Made) -> list[tuple[str, str]]:
    notes = [
        (
            _("Weights"),
            _(
                "Quadratic for scales with an order, none for those without. The mean is over "
                "questions, its standard error the mean of theirs."
            ),
        )
    ]
    if lone := say_single_rated(made.agreement):
        notes.append((_("Standard error"), lone))
    return notes


def _correlations(made: Made) -> Table:
    names = {"pearson": _("Pearson’s r"), "spearman": _("Spearman’s ρ")}
    body = []
    for line in made.correlations:
        for name, found in line.found.items():
            value = Number(_shown(found.value, made), undefined=found.undefined_reason)
            cells = [
                value,
                Number(_interval(found.ci_low, found.ci_high)),
                Number(p_value(found.p_value)),
                Number(number_format(found.n, 0, force_grouping=True)),
            ]
            body.append(([line.title, names[name]], cells))
    about = _(
        "Of each output by itself: the metric with the score “all” that people gave it. The "
        "interval is 95% and takes outputs as independent; p is two-sided."
    )
    numbers = [_("Correlation"), _("95% interval"), _("p"), _("Items")]
    notes = [(_("Correlation"), about)]
    return Table([_("Metric"), _("Coefficient")], numbers, body, notes)


def _strengths(made: Made) -> Table:
    body = []
    for line in made.strengths:
        interval = Number(_interval(line.ci_low, line.ci_high))
        value = Number(NONE, undefined=line.undefined)
        if line.value is not None:
            cell = Cell(line.system, "", line.question, STRENGTH)
            value = Number(rounded(line.value, STRENGTH_DIGITS), query_of(cell))
        counted = Number(number_format(line.n, 0, force_grouping=True))
        body.append(([line.question, line.system], [value, interval, counted]))
    about = _(
        "Bradley and Terry’s: systems on one scale in log odds, their mean at 0; a tie is half a "
        "win. The interval is 95%, clustered by source."
    )
    numbers = [_("Strength"), _("95% interval"), _("Comparisons")]
    return Table([_("Question"), _("System")], numbers, body, [(_("Strength"), about)])


def _interval(low: float | None, high: float | None, *, digits: int = STRENGTH_DIGITS) -> str:
    if low is None or high is None:
        return NONE
    text = {"low": rounded(low, digits), "high": rounded(high, digits)}
    return _("%(low)s to %(high)s") % text


def _weights(name: str | None) -> str:
    return {"identity": _("none"), "quadratic": _("quadratic"), "ratio": _("ratio")}.get(
        name or "", NONE
    )


def _shown(value: float | None, made: Made) -> str:
    return NONE if value is None else rounded(value, made.report.digits)
