"""Reports as text, JSON, CSV and LaTeX."""

import csv
import json
import re
from collections.abc import Sequence
from io import StringIO

from evaluation.reports.agreement import say_single_rated
from evaluation.reports.making import Made
from evaluation.reports.runs.making import RunsMade, grids_of
from evaluation.reports.scores import Line, as_rows, names_of

NONE = "–"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
# Of a number, and of both ends of an interval; what stands in a name is a hyphen.
MINUS = re.compile(r"(?<![^\[ ])-(?=\d)")
DIGITS = 4
Table = list[list[str]]


def as_json(made: Made | RunsMade) -> str:
    return json.dumps(made.rows, ensure_ascii=False, indent=2)


def as_csv(made: Made | RunsMade) -> str:
    """One line for each number."""
    out = StringIO(newline="")
    columns = list(dict.fromkeys(name for row in made.rows for name in row))
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(made.rows)
    return out.getvalue().rstrip("\n")


def as_text(made: Made | RunsMade) -> str:
    tables = [_ruled(table) for table in tables_of(made, DIGITS)]
    note = say_single_rated(made.agreement) if isinstance(made, Made) else ""
    return "\n\n".join([*tables, *([note] if note else [])])


def _ruled(table: Table) -> str:
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    head, *lines = ["  ".join(_padded(row, widths)).rstrip() for row in table]
    return "\n".join([head, "  ".join("-" * width for width in widths), *lines])


def as_latex(made: Made | RunsMade) -> str:
    return "\n\n".join(_tabular(table) for table in tables_of(made, made.report.digits))


def _tabular(table: Table) -> str:
    head, *rows = [" & ".join([_first(row[0]), *map(latex, row[1:])]) + r" \\" for row in table]
    columns = f"l{'r' * (len(table[0]) - 1)}"
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            *(r"\hline", head, r"\hline"),
            *rows,
            *(r"\hline", r"\end{tabular}"),
        ]
    )


def _first(text: str) -> str:
    r"""Of a row: a star or a bracket would belong to the \\ of the row before."""
    return ("{}" if text.startswith(("*", "[")) else "") + latex(text)


def latex(text: str) -> str:
    """A hyphen before a number is a minus, which is longer."""
    return MINUS.sub("$-$", "".join(SPECIAL.get(sign, sign) for sign in text))


def tables_of(made: Made | RunsMade, digits: int) -> list[Table]:
    """Names of the columns first; a row for each system, or for each question."""
    if isinstance(made, RunsMade):
        grids = grids_of(made, lambda value: number(value, digits))
        return [
            [["task", *grid.names, *grid.columns], *([grid.task, *a, *b] for a, b in grid.rows)]
            for grid in grids
        ]
    if made.agreement:
        return [_agreement(made, digits)]
    if made.correlations:
        return [_correlations(made, digits)]
    return [_metrics(made, digits), *([_strengths(made)] if made.strengths else [])]


def _metrics(made: Made, digits: int) -> Table:
    rows = as_rows(made.lines)
    metrics = [
        metric for metric in made.metrics if any(metric.slug in row for row in rows.values())
    ]
    places = names_of(rows)
    names = [("system", "rival", "question")[place] for place in places]
    table = [[*names, *(str(metric.title) for metric in metrics), "n"]]
    for key, row in rows.items():
        numbers = [
            _shown(row[m.slug], m.digits(digits)) if m.slug in row else NONE for m in metrics
        ]
        counts = dict.fromkeys(f"{line.n:,}" for line in row.values())
        table.append([*(key[place] for place in places), *numbers, "/".join(counts)])
    return table


def _shown(line: Line, digits: int) -> str:
    """The number, and its interval where it has one."""
    value = number(line.value, digits)
    if line.interval is None:
        return value
    low, high = (number(end, digits) for end in line.interval)
    return f"{value} [{low}, {high}]"


def _agreement(made: Made, digits: int) -> Table:
    table = [["question", "weights", "value", "se", "n"]]
    for line in made.agreement:
        value = line.undefined if line.value is None else number(line.value, digits)
        error = number(line.se, digits)
        table.append([line.question, line.weights or NONE, value, error, f"{line.n_items:,}"])
    return table


def _correlations(made: Made, digits: int) -> Table:
    table = [["metric", "coefficient", "value", "p", "low", "high", "n"]]
    for line in made.correlations:
        for name, found in line.found.items():
            value = found.undefined_reason or number(found.value, digits)
            ends = [number(end, digits) for end in (found.ci_low, found.ci_high)]
            row = [line.title, name, value, p_value(found.p_value), *ends, f"{found.n:,}"]
            table.append(row)
    return table


def p_value(value: float | None) -> str:
    """Small ones as they are written in papers."""
    return NONE if value is None else f"{value:.2g}"


def _strengths(made: Made) -> Table:
    table = [["question", "system", "strength", "se", "low", "high", "n"]]
    for line in made.strengths:
        value = line.undefined or number(line.value, DIGITS)
        rest = [number(one, DIGITS) for one in (line.se, line.ci_low, line.ci_high)]
        table.append([line.question, line.system, value, *rest, f"{line.n:,}"])
    return table


def number(value: float | None, digits: int) -> str:
    """What rounds to 0 has no sign."""
    return NONE if value is None else f"{value:z.{digits}f}"


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The first column to the left, numbers to the right."""
    return [
        cell.ljust(width) if place == 0 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


WRITERS = {"text": as_text, "json": as_json, "csv": as_csv, "latex": as_latex}
