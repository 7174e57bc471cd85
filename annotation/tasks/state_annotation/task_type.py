"""State annotation: infer an unstated state, change it, and revise the story to match."""

from collections.abc import Mapping
from typing import Any

from annotation.tasks.state_annotation import layout, texts
from annotation.tasks.state_annotation.form import StateAnnotationForm
from annotation.tasks.state_annotation.instructions import (
    INSTRUCTIONS,
    PREVIEW_EXAMPLE,
    PREVIEW_NOTE,
    PREVIEW_STORY_ID,
    WORKED_EXAMPLES,
)
from annotation.tasks.state_annotation.review import REVIEW
from studies.models import Story
from studies.task_types import ImportedRow, TaskType

_WRITERS = {
    "pasta-jsonl": layout.to_published,
    "jsonl": layout.to_own,
    "csv": layout.to_table,
}
_READERS = {
    "pasta-jsonl": layout.from_published,
    "jsonl": layout.from_own,
    "csv": layout.from_table,
}


class StateAnnotation(TaskType):
    """The four-step task. Its answers are described in schema.md beside this file."""

    slug = "state_annotation"
    name = texts.NAME
    schema_version = 1
    hit_title = texts.HIT_TITLE
    hit_description = texts.HIT_DESCRIPTION
    hit_keywords = texts.HIT_KEYWORDS
    form_class = StateAnnotationForm
    template_name = "annotation/state_annotation/task.html"
    instructions_template_name = "annotation/state_annotation/instructions.html"
    export_formats = tuple(_WRITERS)
    fills_in_page = True
    answer_names = texts.ANSWER_NAMES
    review = REVIEW

    steps = texts.STEPS
    instructions = INSTRUCTIONS
    worked_examples = WORKED_EXAMPLES
    preview_note = PREVIEW_NOTE

    def item(self, story: Story) -> dict[str, Any]:
        return {
            "story_id": story.external_id,
            "title": story.title,
            "sentences": list(story.sentences),
        }

    def example_item(self) -> dict[str, Any]:
        example = PREVIEW_EXAMPLE
        return {
            "story_id": PREVIEW_STORY_ID,
            "title": str(example.title),
            "sentences": [str(sentence) for sentence in example.sentences],
        }

    def example_answers(self) -> dict[str, Any]:
        """Initial values that fill the form of the preview's example."""
        example = PREVIEW_EXAMPLE
        return {
            "assertion": str(example.assertion),
            "justification": [str(number) for number in example.justification],
            "changed_assertion": str(example.changed_assertion),
            **{f"revision_{row.number}": str(row.revised) for row in example.rows},
        }

    def contributions(
        self, answers: Mapping[str, Any], item: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        return [{"kind": self.slug, "content": dict(answers)}]

    def export_row(
        self, fmt: str, *, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        return _WRITERS[fmt](label=label, item=item, answers=answers)

    def needed_fields(self, fmt: str) -> tuple[str, ...]:
        return layout.NEEDED_FIELDS[fmt]

    def import_row(self, fmt: str, row: Mapping[str, Any]) -> ImportedRow:
        return _READERS[fmt](row)
