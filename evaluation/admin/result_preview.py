"""How a result file would be read: question by question, and its first rows."""

from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from django.utils.translation import gettext as _

from evaluation.admin.answer_words import words_of
from evaluation.instruments.parts import Question
from evaluation.result_files.columns import Columns, OptionColumn, QuestionColumns
from evaluation.result_files.rows import ReadRating, ResultTable, is_rejected, read_row
from evaluation.services.importing import Reading

FIRST_ROWS = 5


@dataclass(frozen=True)
class QuestionPreview:
    """`options` are columns with the words of the option that each is taken for."""

    question: Question
    column: str
    options: list[tuple[str, str]]
    is_reversed: bool


@dataclass(frozen=True)
class RowPreview:
    row: int
    item: str
    source: str
    left: str
    gold: str
    answers: list[str]


@dataclass(frozen=True)
class ResultPreview:
    questions: list[QuestionPreview]
    fields: list[str]
    unused: list[str]
    has_sides: bool
    rows: list[RowPreview]


def preview_of(source: BinaryIO, reading: Reading) -> ResultPreview:
    """Raises BadResults, also for what is wrong in the first rows."""
    table = ResultTable(source)
    columns = reading.columns_of(table.header)
    read = (
        read_row(number, cells, columns)
        for number, cells in table.rows()
        if not is_rejected(cells, columns)
    )
    rows = [_row(one, columns) for one in islice(read, FIRST_ROWS)]
    table.release()
    return ResultPreview(
        questions=[_question(one, columns) for one in columns.questions],
        fields=list(columns.fields),
        unused=list(columns.unused),
        has_sides=columns.sides is not None and bool(columns.sides.columns),
        rows=rows,
    )


def _question(read: QuestionColumns, columns: Columns) -> QuestionPreview:
    question = read.question
    return QuestionPreview(
        question=question,
        column=columns.header[read.text] if read.text is not None else "",
        options=[(option.name, _option(question, option, columns)) for option in read.options],
        is_reversed=read.is_reversed,
    )


def _option(question: Question, option: OptionColumn, columns: Columns) -> str:
    """Of a side where the file says which system stood there, else of a system."""
    pair = columns.sides
    if pair is None:
        return question.label_of(option.code)
    if pair.columns:
        sides = {"system": _("the one on the left"), "rival": _("the one on the right")}
        return words_of(question, option.code, **sides)
    return words_of(question, option.code, system=pair.system, rival=pair.rival)


def _row(read: ReadRating, columns: Columns) -> RowPreview:
    questions = [one.question for one in columns.questions]
    pair = columns.sides
    systems = {"system": pair.system if pair else "", "rival": pair.rival if pair else ""}
    return RowPreview(
        row=read.row,
        item=read.item,
        source=" · ".join(filter(None, [read.group, read.part])),
        left=systems["rival" if read.swapped else "system"],
        gold=", ".join(f"{question} {value}" for question, value in read.gold.items()),
        answers=[
            words_of(question, read.answers[question.slug], **systems)
            if question.slug in read.answers
            else ""
            for question in questions
        ],
    )
