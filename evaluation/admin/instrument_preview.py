"""The questions of an instrument as reports know them: codes, level of measurement, threshold."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Kind, Level, Question
from evaluation.rating.asking import condition_words

LEVELS = {
    Level.NOMINAL: gettext_lazy("no order"),
    Level.ORDINAL: gettext_lazy("ordered"),
    Level.INTERVAL: gettext_lazy("equal distances"),
    Level.RATIO: gettext_lazy("equal distances from a zero"),
}


@dataclass(frozen=True)
class Point:
    code: Any
    label: str
    counts_as_yes: bool


@dataclass(frozen=True)
class Preview:
    question: Question
    points: list[Point]
    asked_if: str

    @property
    def level(self) -> Any:
        return LEVELS[self.question.level]

    @property
    def is_text(self) -> bool:
        return self.question.kind is Kind.TEXT


def previews_of(declared: Declaration) -> list[Preview]:
    return [
        Preview(question, _points(question), condition_words(question, declared))
        for question in declared.questions
    ]


def _points(question: Question) -> list[Point]:
    brought = [
        _("option %(n)s of the item") % {"n": number + 1} for number in range(question.brought)
    ]
    labels = [*brought, *(option.label for option in question.options)]
    limit = question.threshold
    return [
        Point(code, label, limit is not None and int(code) >= limit)
        for code, label in zip(question.codes, labels, strict=True)
    ]
