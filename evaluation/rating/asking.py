"""A question of the rating page: its answers with their keys, and what was answered so far."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Code, Kind, Question

MOST_KEYS = 9
# Answers longer than this stand below each other.
LONG = 40
# What was sent or kept as the answer to a question.
Written = Callable[[Question], str]


@dataclass(frozen=True)
class Point:
    """An answer that can be chosen. `keys` choose it; the first one is shown."""

    code: str
    label: str
    keys: tuple[str, ...]
    is_chosen: bool


@dataclass(frozen=True)
class Asked:
    """`step` counts the questions of the page, `number` those that are asked about the item.

    `unanswered` leaves its number open. `condition_codes` is a list in JSON.
    """

    question: Question
    name: str
    step: int
    number: int | None
    written: str
    points: Sequence[Point]
    errors: Sequence[str]
    unanswered: str
    is_asked: bool
    asked_if: str
    condition_name: str
    condition_codes: str
    examples: Sequence[tuple[str, str, str]]

    @property
    def is_long(self) -> bool:
        return any(len(point.label) > LONG for point in self.points)


def code_of(question: Question, text: str) -> Code | None:
    if not question.is_closed:
        return text or None
    return next((code for code in question.codes if str(code) == text), None)


def is_asked(question: Question, declared: Declaration, written: Written) -> bool:
    condition = question.condition
    if condition is None:
        return True
    earlier = declared.question(condition.question)
    answer = code_of(earlier, written(earlier))
    return is_asked(earlier, declared, written) and answer in condition.codes


def labels_of(question: Question, fields: Mapping[str, Any]) -> dict[Code, str]:
    """The words of each code, for this item."""
    brought = [str(text) for text in fields.get(question.options_from, [])]
    words = [*brought[: question.brought], *(option.label for option in question.options)]
    return dict(zip(question.codes, words, strict=True))


def points_of(question: Question, fields: Mapping[str, Any], written: str) -> list[Point]:
    labels = labels_of(question, fields)
    return [
        Point(str(code), label, _keys(question, code, number), written == str(code))
        for number, (code, label) in enumerate(labels.items(), 1)
    ]


def _keys(question: Question, code: Code, number: int) -> tuple[str, ...]:
    digit = (str(number),) if number <= MOST_KEYS else ()
    if question.kind is not Kind.YES_NO:
        return digit
    # Translators: the keys that answer a question with yes and with no.
    return (_("Y") if code == 1 else _("N"), *digit)


def condition_words(question: Question, declared: Declaration) -> str:
    condition = question.condition
    if condition is None:
        return ""
    earlier = declared.question(condition.question)
    answers = ", ".join(earlier.label_of(code) for code in condition.codes)
    return _("Asked where “%(question)s” was answered: %(answers)s") % {
        "question": earlier.text,
        "answers": answers,
    }


def unanswered_words(question: Question, *, place: int, of_items: int, number: object) -> str:
    given = {"place": place, "number": number}
    if of_items > 1:
        if question.is_closed:
            return _("Text %(place)s, question %(number)s: choose an answer.") % given
        return _("Text %(place)s, question %(number)s: write an answer.") % given
    if question.is_closed:
        return _("Question %(number)s: choose an answer.") % given
    return _("Question %(number)s: write an answer.") % given
