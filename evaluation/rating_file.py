"""A CSV file with one rating a row, and how the agreement in it is asked for."""

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from math import isfinite
from sys import intern
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from stats.choices import Level, StandardError

# Each takes memory while all are read.
MOST_RATINGS = 1_000_000
LONGEST_QUOTED = 60
# The key of the cells that stand behind the last column.
BEHIND = None
# Item, rater and value of each rating.
Rows = list[tuple[str, str, Any]]


class BadRatingFile(Exception):
    """A file that cannot be read as ratings; it names line or column."""


@dataclass(frozen=True)
class RatingColumns:
    """`by` parts the ratings into groups."""

    item: str
    rater: str
    value: str
    by: str | None = None

    def __iter__(self) -> Iterator[str]:
        return iter([self.item, self.rater, self.value, *([self.by] if self.by else [])])


@dataclass(frozen=True)
class Ways:
    """`scale`: every category there is. Without `coefficients` all are meant; with `bootstrap`
    intervals are of so many resamples of the items."""

    scale: list[Any]
    weights: str = "identity"
    level: Level | None = None
    se: StandardError = "gwet"
    confidence: float = 0.95
    bootstrap: int | None = None
    seed: int = 0
    coefficients: tuple[str, ...] = ()


def read_scale(text: str) -> list[Any]:
    """Categories between commas: numbers where all are numbers, else words. Raises BadRatingFile
    for an empty one."""
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise BadRatingFile(_("A category of the scale is empty."))
    numbers = [number_of(name) for name in names]
    return names if None in numbers else numbers


def number_of(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def read_ratings(
    source: BinaryIO, columns: RatingColumns, *, name: str, scale: list[Any]
) -> dict[str | None, Rows]:
    """The ratings of each group, in the order in which they come; an empty value is none, and space
    round a cell is no part of it. `name` is what the file is called. Raises BadRatingFile."""
    groups: dict[str | None, Rows] = defaultdict(list)
    left = MOST_RATINGS
    for line, row in _rows(source, columns, name):
        given = row[columns.value].strip()
        if not given:
            continue
        left -= 1
        if left < 0:
            raise BadRatingFile(
                _("There are more than %(most)s ratings in this file: they are too many at once.")
                % {"most": f"{MOST_RATINGS:,}"}
            )
        value = given if isinstance(scale[0], str) else number_of(given)
        if value not in scale:
            raise BadRatingFile(
                _("Line %(line)s: “%(value)s” is not on the scale %(scale)s.")
                % {
                    "line": line,
                    "value": given[:LONGEST_QUOTED],
                    "scale": ", ".join(map(str, scale)),
                }
            )
        group = row[columns.by].strip() if columns.by else None
        item, rater = (intern(row[name].strip()) for name in (columns.item, columns.rater))
        groups[group].append((item, rater, value))
    if not groups:
        raise BadRatingFile(_("There is no rating in this file."))
    return groups


def _rows(
    source: BinaryIO, columns: RatingColumns, name: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with the number of its last line."""
    file = TextIOWrapper(source, encoding="utf-8-sig", newline="")
    line = 0
    try:
        reader = csv.DictReader(file, strict=True, restkey=BEHIND)
        reader.fieldnames = known = [column.strip() for column in reader.fieldnames or []]
        _check_columns(columns, known, name)
        line = reader.line_num
        for row in reader:
            line = reader.line_num
            _check_cells(columns, row, line)
            yield line, row
    except UnicodeDecodeError as error:
        raise BadRatingFile(_("%(file)s is not UTF-8.") % {"file": name}) from error
    except csv.Error as error:
        raise BadRatingFile(
            _(
                "%(file)s is no CSV file: what begins on line %(line)s cannot be read "
                "(%(error)s). A quotation mark may be missing or out of place."
            )
            % {"file": name, "line": line + 1, "error": error}
        ) from error
    finally:
        file.detach()


def _check_columns(columns: RatingColumns, known: list[str], file: str) -> None:
    if not any(known):
        raise BadRatingFile(_("%(file)s has no header with names of columns.") % {"file": file})
    for column in columns:
        if len(known) == 1 and column != known[0]:
            raise BadRatingFile(
                _("The file has a single column, “%(column)s”: cells have to stand between commas.")
                % {"column": known[0][:LONGEST_QUOTED].replace("\0", "")}
            )
        if known.count(column) != 1:
            what = _("several columns") if column in known else _("no column")
            raise BadRatingFile(
                _("The file has %(what)s “%(column)s”. Its columns: %(known)s.")
                % {"what": what, "column": column, "known": ", ".join(known).replace("\0", "")}
            )


def _check_cells(columns: RatingColumns, row: dict[Any, Any], line: int) -> None:
    if any(cell.strip() for cell in row.get(BEHIND, ())):
        raise BadRatingFile(
            _(
                "Line %(line)s has more cells than the header has columns. A comma within a cell "
                "needs quotation marks around it."
            )
            % {"line": line}
        )
    for column in columns:
        cell = row[column]
        if cell is None or (not cell.strip() and column != columns.value):
            raise BadRatingFile(
                _("Line %(line)s: nothing in column “%(column)s”.")
                % {"line": line, "column": column}
            )
        if "\0" in cell:
            raise BadRatingFile(
                _("Line %(line)s: column “%(column)s” holds a NUL character.")
                % {"line": line, "column": column}
            )
