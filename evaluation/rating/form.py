"""The form of a task of ratings: for each item the questions of the instrument."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.tasks.state_annotation.folding import is_blank, length
from annotation.tasks.state_annotation.form import LineField
from evaluation.instruments.as_data import declaration_from
from evaluation.instruments.parts import Code, Question
from evaluation.rating.asking import (
    Asked,
    Written,
    code_of,
    condition_words,
    is_asked,
    labels_of,
    points_of,
    unanswered_words,
)
from evaluation.rating.blocks import Block, blocks_of, stands_wide
from studies.task_types import TaskForm

LONGEST_TEXT = 2000
# Stands for a number that the page knows: js/rating/main.js.
NUMBER = "{number}"


@dataclass(frozen=True)
class Sheet:
    """An item as the page shows it, with what is asked about it."""

    place: int
    blocks: list[Block]
    questions: list[Asked]


class RatingForm(TaskForm):
    """Fields are named by question and place of the item on the page: `inferable_1`."""

    counter_words = gettext_lazy("Question {step} of {steps}")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        item: Mapping[str, Any],
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, item=item, initial=initial)
        self.declared = declaration_from(item["instrument"])
        self.items: list[Mapping[str, Any]] = list(item["items"])
        self.stands_wide = stands_wide(self.declared)
        for place, shown in enumerate(self.items, 1):
            for question in self.declared.questions:
                self.fields[_name(question, place)] = _field(question, shown["fields"])

    # --- For the page --------------------------------------------------------------------------
    @property
    def steps(self) -> range:  # type: ignore[override]
        return range(len(self.items) * len(self.declared.questions))

    @property
    def step_count_words(self) -> str:
        count = len(self.steps)
        return ngettext("%(counter)s question", "%(counter)s questions", count) % {"counter": count}

    @cached_property
    def sheets(self) -> list[Sheet]:
        return [
            Sheet(
                place=place,
                blocks=blocks_of(self.declared, shown["fields"]),
                questions=[
                    self._asked(question, place, number)
                    for number, question in enumerate(self.declared.questions, 1)
                ],
            )
            for place, shown in enumerate(self.items, 1)
        ]

    def _asked(self, question: Question, place: int, number: int) -> Asked:
        field = self[_name(question, place)]
        written = self._written(place)(question)
        condition = question.condition
        return Asked(
            question=question,
            name=field.html_name,
            step=(place - 1) * len(self.declared.questions) + number,
            number=self._number(question, place),
            written=written,
            points=points_of(question, self.items[place - 1]["fields"], written),
            errors=[str(error) for error in field.errors],
            unanswered=self._unanswered(question, place, NUMBER),
            is_asked=self._is_asked(question, place),
            asked_if=condition_words(question, self.declared),
            condition_name=f"{condition.question}_{place}" if condition else "",
            condition_codes=json.dumps([str(one) for one in condition.codes] if condition else []),
            examples=[(e.text, question.label_of(e.code), e.why) for e in question.examples],
        )

    def _written(self, place: int) -> Written:
        return lambda question: str(self[_name(question, place)].value() or "")

    def _is_asked(self, question: Question, place: int) -> bool:
        return is_asked(question, self.declared, self._written(place))

    def _number(self, question: Question, place: int) -> int | None:
        """Among those that are asked, as the rater counts them; none for one that is not."""
        asked = [one for one in self.declared.questions if self._is_asked(one, place)]
        return asked.index(question) + 1 if question in asked else None

    def _unanswered(self, question: Question, place: int, number: object) -> str:
        return unanswered_words(question, place=place, of_items=len(self.items), number=number)

    # --- Errors and answers ----------------------------------------------------------------------
    def clean(self) -> dict[str, Any]:
        super().clean()
        for place in range(1, len(self.items) + 1):
            for question in self.declared.questions:
                self._check(question, place)
        return self.cleaned_data

    def _check(self, question: Question, place: int) -> None:
        """What is written in a box that was not asked for is passed over."""
        name = _name(question, place)
        if not self._is_asked(question, place):
            self.errors.pop(name, None)
        elif name not in self.errors and self._given(question, place) is None:
            says = self._unanswered(question, place, self._number(question, place))
            self.add_error(name, ValidationError(says, code="empty"))

    def answers(self) -> dict[str, Any]:
        """The codes of the questions that were asked, item by item as they were shown."""
        return {
            "items": [
                {"key": shown["key"], "answers": self._answers_of(place)}
                for place, shown in enumerate(self.items, 1)
            ]
        }

    def _answers_of(self, place: int) -> dict[str, Code]:
        return {
            question.slug: code
            for question in self.declared.questions
            if self._is_asked(question, place)
            and (code := self._given(question, place)) is not None
        }

    def _given(self, question: Question, place: int) -> Code | None:
        text = self.cleaned_data.get(_name(question, place), "")
        return None if is_blank(text) else code_of(question, text)


def _name(question: Question, place: int) -> str:
    return f"{question.slug}_{place}"


def _field(question: Question, fields: Mapping[str, Any]) -> forms.Field:
    if not question.is_closed:
        field = LineField()
        field.validators = [*field.validators, _refuse_long]
        return field
    choices = [(str(code), label) for code, label in labels_of(question, fields).items()]
    unknown = {"invalid_choice": gettext_lazy("Choose one of the answers.")}
    return forms.ChoiceField(
        choices=choices, required=False, widget=forms.RadioSelect, error_messages=unknown
    )


def _refuse_long(text: str) -> None:
    if (count := length(text)) > LONGEST_TEXT:
        raise ValidationError(
            _("This has %(count)s characters. An answer can have at most %(limit)s."),
            params={"count": count, "limit": LONGEST_TEXT},
            code="too_long",
        )
