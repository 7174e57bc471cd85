"""The rows of a result file, one at a time: an item, a rater, their answers."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from django.utils.translation import gettext as _

from evaluation.instruments.parts import Code
from evaluation.result_files.columns import Columns, QuestionColumns
from evaluation.result_files.errors import (
    BadLength,
    BadTime,
    CellEmpty,
    CellTooLong,
    NothingChosen,
    NotReadable,
    NotTrueOrFalse,
    TwoChosen,
    UnknownGold,
)
from evaluation.result_files.times import read_time

# Columns that a requester fills in; the marketplace leaves their cells out.
FILLED_LATER = ("Approve", "Reject")
REJECTED = "Rejected"
LONGEST = {"item": 200, "rating": 200, "rater": 100, "group": 200, "part": 100}
TRUE, FALSE = "true", "false"


@dataclass(frozen=True)
class ReadRating:
    """One row. `answers` has a code, or a text, for each question that was asked; of a pair they
    speak of its systems, and `swapped` says whether the first one stood on the right."""

    row: int
    item: str
    group: str
    part: str
    fields: dict[str, str]
    gold: dict[str, int]
    label: str
    rater: str
    answers: dict[str, Code]
    accepted_at: datetime | None
    submitted_at: datetime
    swapped: bool | None = None


class ResultTable:
    """A file as rows of text; `header` first. Raises NotReadable."""

    def __init__(self, source: BinaryIO) -> None:
        text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
        self._lines = csv.reader(text, strict=True)
        self._text = text
        header = self._next(1)
        if not header:
            raise NotReadable(_("The file is empty."))
        if len(header) == 1:
            raise NotReadable(
                _(
                    "The first row has a single cell, “%(cell)s”: cells have to stand between "
                    "commas."
                )
                % {"cell": header[0][:40]}
            )
        self.header = header
        self._later = sum(name in FILLED_LATER for name in header[-len(FILLED_LATER) :])

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """With numbers as a spreadsheet counts them. Raises NotReadable and BadLength."""
        number = 1
        while (cells := self._next(number + 1)) is not None:
            number += 1
            if not cells:
                continue
            missing = len(self.header) - len(cells)
            if missing not in {0, self._later}:
                raise BadLength(
                    number,
                    _("it has %(cells)s cells, and there are %(columns)s columns."),
                    cells=len(cells),
                    columns=len(self.header),
                )
            yield number, cells

    def release(self) -> None:
        """Leave the source open for whoever opened it."""
        self._text.detach()

    def _next(self, number: int) -> list[str] | None:
        try:
            cells = next(self._lines, None)
        except UnicodeDecodeError as error:
            raise NotReadable(_("The file is not in UTF-8.")) from error
        except csv.Error as error:
            raise NotReadable(
                _(
                    "Row %(row)s cannot be read: a quotation mark is missing or out of place, or "
                    "its cells do not stand between commas."
                )
                % {"row": f"{number:,}"}
            ) from error
        if cells and any("\0" in cell for cell in cells):
            raise NotReadable(
                _("Row %(row)s holds a character that is no text (NUL).") % {"row": f"{number:,}"}
            )
        return cells


def is_rejected(cells: Sequence[str], columns: Columns) -> bool:
    status = columns.map.status
    return status in columns.header and cells[columns.place(status)] == REJECTED


def read_row(number: int, cells: Sequence[str], columns: Columns) -> ReadRating:
    """Raises BadRow."""
    map = columns.map
    named = {
        name: _cell(number, cells, columns, name, getattr(map, name))
        for name in ("item", "rating", "rater", "group", "part")
    }
    swapped = columns.sides.swapped(number, cells) if columns.sides else None
    return ReadRating(
        row=number,
        item=named["item"],
        group=named["group"],
        part=named["part"],
        fields={name: cells[place] for name, place in columns.fields.items()},
        gold=_gold(number, cells, columns),
        label=named["rating"],
        rater=named["rater"],
        answers=_answers(number, cells, columns, swapped=swapped),
        accepted_at=_accepted(number, cells, columns),
        submitted_at=_time(number, cells, columns, map.submitted),
        swapped=swapped,
    )


def _cell(number: int, cells: Sequence[str], columns: Columns, name: str, column: str) -> str:
    if not column:
        return ""
    text = cells[columns.place(column)].strip()
    if not text:
        raise CellEmpty(number, _("the column “%(column)s” is empty."), column=column)
    if len(text) > LONGEST[name]:
        raise CellTooLong(
            number,
            _("the column “%(column)s” has more than %(most)s characters."),
            column=column,
            most=LONGEST[name],
        )
    return text


def _gold(number: int, cells: Sequence[str], columns: Columns) -> dict[str, int]:
    gold = columns.map.gold
    if gold is None:
        return {}
    text = cells[columns.place(gold.column)].strip()
    if text not in gold.values:
        raise UnknownGold(
            number,
            _(
                "“%(text)s” in the column “%(column)s” says of no answer that it is right. "
                "Known: %(known)s."
            ),
            text=text,
            column=gold.column,
            known=", ".join(gold.values),
        )
    return {gold.question: gold.values[text]}


def _answers(
    number: int, cells: Sequence[str], columns: Columns, *, swapped: bool | None
) -> dict[str, Code]:
    answers: dict[str, Code] = {}
    for read in columns.questions:
        condition = read.question.condition
        if condition and answers.get(condition.question) not in condition.codes:
            continue
        slug = read.question.slug
        answers[slug] = cells[read.text] if read.text is not None else _chosen(number, cells, read)
    if columns.sides is None:
        return answers
    return columns.sides.about_systems(answers, swapped=bool(swapped))


def _chosen(number: int, cells: Sequence[str], read: QuestionColumns) -> Code:
    chosen = []
    for option in read.options:
        text = cells[option.place].strip().lower()
        if text not in {TRUE, FALSE}:
            raise NotTrueOrFalse(
                number,
                _("question “%(question)s”: “%(text)s” in “%(column)s” is neither true nor false."),
                question=read.question.slug,
                text=text[:40],
                column=option.name,
            )
        if text == TRUE:
            chosen.append(option)
    if not chosen:
        raise NothingChosen(
            number, _("question “%(question)s”: no option was chosen."), question=read.question.slug
        )
    if len(chosen) > 1:
        raise TwoChosen(
            number,
            _("question “%(question)s”: more than one option was chosen (%(columns)s)."),
            question=read.question.slug,
            columns=", ".join(option.name for option in chosen),
        )
    return chosen[0].code


def _accepted(number: int, cells: Sequence[str], columns: Columns) -> datetime | None:
    column = columns.map.accepted
    known = column in columns.header and cells[columns.place(column)].strip()
    return _time(number, cells, columns, column) if known else None


def _time(number: int, cells: Sequence[str], columns: Columns, column: str) -> datetime:
    text = cells[columns.place(column)]
    try:
        return read_time(text)
    except ValueError as error:
        raise BadTime(
            number,
            _("“%(text)s” in the column “%(column)s” is no time such as %(example)s."),
            text=text[:60],
            column=column,
            example="Sat Nov 26 15:01:24 PST 2022",
        ) from error
