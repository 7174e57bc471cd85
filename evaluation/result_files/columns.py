"""The header of a result file against an instrument: which column is which answer."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Code, Question
from evaluation.result_files.errors import (
    ColumnMissing,
    ColumnTwice,
    OptionsDiffer,
    UnknownReversal,
)
from evaluation.result_files.mapping import ANSWER, INPUT, ColumnMap
from evaluation.result_files.sides import Sides

NUMBERED = re.compile(r"(?P<stem>.+)\.(?P<number>\d+)")
FIRST_NUMBERS = {0, 1}


@dataclass(frozen=True)
class OptionColumn:
    """`place` is where the column stands in the file."""

    name: str
    place: int
    code: Code


@dataclass(frozen=True)
class QuestionColumns:
    """A column for each option, `true` where it was chosen; or `text`, the place of free text."""

    question: Question
    options: tuple[OptionColumn, ...] = ()
    text: int | None = None
    is_reversed: bool = False


@dataclass(frozen=True)
class Columns:
    """Everything that is read from a row, by place."""

    header: tuple[str, ...]
    map: ColumnMap
    questions: tuple[QuestionColumns, ...]
    fields: dict[str, int]
    unused: tuple[str, ...]
    sides: Sides | None = None

    def place(self, column: str) -> int:
        return self.header.index(column)

    @property
    def described(self) -> dict[str, object]:
        """For the record of the import."""
        return {
            read.question.slug: {
                "columns": [one.name for one in read.options] or self.header[read.text or 0],
                "reversed": read.is_reversed,
            }
            for read in self.questions
        }


def match_columns(
    header: Sequence[str], declared: Declaration, map: ColumnMap, reverse: Sequence[str] = ()
) -> Columns:
    """Raises ColumnMissing, ColumnTwice, OptionsDiffer and UnknownReversal."""
    twice = [name for name, count in Counter(header).items() if count > 1 and name]
    if twice:
        raise ColumnTwice(_("The file has two columns “%(name)s”.") % {"name": twice[0]})
    needed = [map.item, map.rating, map.rater, map.submitted, map.group, map.part]
    needed += [map.left, map.right]
    needed += [map.gold.column] if map.gold else []
    for name in filter(None, needed):
        if name not in header:
            raise ColumnMissing(_("The file has no column “%(name)s”.") % {"name": name})
    turned = _turned(declared, map, reverse)
    read = tuple(
        _question_columns(header, question, map.column_of(question.slug), question.slug in turned)
        for question in declared.questions
    )
    return Columns(
        header=tuple(header),
        map=map,
        questions=read,
        fields={
            name.removeprefix(INPUT): place
            for place, name in enumerate(header)
            if name.startswith(INPUT) and name not in {map.group, map.part, map.left, map.right}
        },
        unused=tuple(_unused(header, map, read)),
    )


def _turned(declared: Declaration, map: ColumnMap, reverse: Sequence[str]) -> set[str]:
    """Questions may be named as the instrument or as the file names them."""
    by_name = {map.column_of(one.slug): one.slug for one in declared.questions if one.is_closed}
    by_name |= {one.slug: one.slug for one in declared.questions if one.is_closed}
    for name in reverse:
        if name not in by_name:
            raise UnknownReversal(
                _("“%(name)s” cannot be reversed: no question of that name. Known: %(known)s.")
                % {"name": name, "known": ", ".join(sorted(by_name))}
            )
    return {by_name[name] for name in reverse}


def _question_columns(
    header: Sequence[str], question: Question, stem: str, is_reversed: bool
) -> QuestionColumns:
    if not question.is_closed:
        name = f"{ANSWER}{stem}"
        if name not in header:
            raise _no_columns(question, name)
        return QuestionColumns(question, text=header.index(name))
    numbered = sorted(_numbered(header, stem))
    if not numbered:
        raise _no_columns(question, f"{ANSWER}{stem}.0")
    first = numbered[0][0]
    counts_on = [number for number, _place in numbered] == list(range(first, first + len(numbered)))
    codes = _in_order(question)
    if not counts_on or first not in FIRST_NUMBERS or len(numbered) != len(codes):
        raise OptionsDiffer(
            _(
                "Question “%(question)s” has %(options)s options, but the columns "
                "“%(stem)s” are numbered %(numbers)s."
            )
            % {
                "question": question.slug,
                "options": len(codes),
                "stem": f"{ANSWER}{stem}",
                "numbers": ", ".join(str(number) for number, _place in numbered),
            }
        )
    in_order = reversed(codes) if is_reversed else iter(codes)
    options = tuple(
        OptionColumn(header[place], place, code)
        for (_number, place), code in zip(numbered, in_order, strict=True)
    )
    return QuestionColumns(question, options, is_reversed=is_reversed)


def _in_order(question: Question) -> list[Code]:
    """Numbers from the lowest: a form counts its options as the scale does."""
    numbers = [code for code in question.codes if isinstance(code, int)]
    return list(question.codes) if len(numbers) < len(question.codes) else [*sorted(numbers)]


def _numbered(header: Sequence[str], stem: str) -> Iterator[tuple[int, int]]:
    for place, name in enumerate(header):
        found = NUMBERED.fullmatch(name.removeprefix(ANSWER))
        if name.startswith(ANSWER) and found and found["stem"] == stem:
            yield int(found["number"]), place


def _no_columns(question: Question, name: str) -> ColumnMissing:
    return ColumnMissing(
        _("Question “%(question)s” has no column in the file: there is no “%(name)s”.")
        % {"question": question.slug, "name": name}
    )


def _unused(
    header: Sequence[str], map: ColumnMap, read: Sequence[QuestionColumns]
) -> Iterator[str]:
    used = {option.name for columns in read for option in columns.options}
    used |= {header[columns.text] for columns in read if columns.text is not None}
    used |= {map.left, map.right}
    for name in header:
        stem = name.removeprefix(ANSWER)
        if name.startswith(ANSWER) and name not in used and not stem.startswith(map.ignore):
            yield name
