"""Ratings as a task type: a few items with the questions of one instrument.

A task's item is {"instrument": the declaration as data, "items": [{"key", "fields"}]}. `key` is a
name drawn by chance, which leads to the row in `evaluation.models.Item`; what system an item is of,
and what is right about it, stand in that row alone.
"""

import random
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.as_data import declaration_from
from evaluation.instruments.pasta import STATE_INFERENCE
from evaluation.rating import texts
from evaluation.rating.arranging import arranged, arrangement
from evaluation.rating.example import example_item
from evaluation.rating.form import RatingForm
from evaluation.rating.recording import record_ratings
from studies.models import Assignment, Response, Round, Story
from studies.task_types import ImportedRow, RowError, TaskType


class RatingTask(TaskType):
    """Answers of schema version 1: {"items": [{"key", "answers": {question: code}}]}, items in the
    order in which they were shown; `first` of a pair is the one on the left."""

    slug = "rating"
    name = texts.NAME
    schema_version = 1
    hit_title = texts.HIT_TITLE
    hit_description = texts.HIT_DESCRIPTION
    hit_keywords = texts.HIT_KEYWORDS
    form_class = RatingForm
    template_name = "evaluation/rating/task.html"
    instructions_template_name = "evaluation/rating/instructions.html"
    keys_template_name = "evaluation/rating/_keys.html"
    shown_name = texts.SHOWN_NAME
    start_words = texts.START_WORDS
    back_words = texts.BACK_WORDS
    export_formats = ()
    from_stories = False
    arranges = True
    is_written = False
    answer_names = texts.ANSWER_NAMES
    review_template_name = "admin/evaluation/response/_answers.html"

    instructions = texts.INSTRUCTIONS
    preview_note = texts.PREVIEW_NOTE

    def item(self, story: Story) -> dict[str, Any]:
        raise NotImplementedError("items come with the launch (from_stories)")

    def example_item(self) -> dict[str, Any]:
        return example_item(STATE_INFERENCE)

    def example_answers(self) -> dict[str, Any]:
        return {}

    def preview(self, round: Round) -> tuple[dict[str, Any], dict[str, Any]]:
        payload = round.tasks.values_list("payload", flat=True).first()
        if payload is None:
            return self.example_item(), self.example_answers()
        return example_item(declaration_from(payload["instrument"])), self.example_answers()

    def arranged(self, item: Mapping[str, Any], draw: random.Random) -> dict[str, Any]:
        return arranged(item, arrangement(item, draw))

    def contributions(
        self, answers: Mapping[str, Any], item: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """What the worker may take back; reports read the ratings that `keep` writes."""
        return [{"kind": self.slug, "content": dict(answers)}]

    def keep(self, response: Response, assignment: Assignment) -> None:
        record_ratings(response=response, assignment=assignment)

    def export_row(
        self, fmt: str, *, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        raise RowError("", _("Ratings leave in reports."))

    def import_row(self, fmt: str, row: Mapping[str, Any]) -> ImportedRow:
        raise RowError("", _("Ratings made elsewhere come in with import_mturk_results."))
