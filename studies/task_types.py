"""What a task type is, and the registry that annotation and evaluation fill when they start."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.utils.translation import ngettext

from studies.models import Story


@dataclass(frozen=True)
class Caution:
    """A warning: asked once, then accepted and stored with the response."""

    field: str
    code: str
    message: str


@dataclass(frozen=True)
class ImportedRow:
    """One row of a file of responses made elsewhere, or of our own export."""

    label: str
    item: dict[str, Any]
    answers: dict[str, Any]


class RowError(ValueError):
    """A row that does not have the layout. `field` names the column."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class TaskForm(forms.Form):
    """The checks of a task type: errors block, cautions ask once."""

    # The numbered cards of the page.
    steps: Sequence[Any] = ()

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        item: Mapping[str, Any],
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=dict(initial or {}))
        self.item = item

    @property
    def step_count_words(self) -> str:
        count = len(self.steps)
        return ngettext("%(counter)s step", "%(counter)s steps", count) % {"counter": count}

    @staticmethod
    def caution_count_words(cautions: Sequence[Caution]) -> str:
        return ngettext(
            "There is a remark beside your text. Change it, or submit it as it is if you think it "
            "is right.",
            "There are %(counter)s remarks beside your text. Change it, or submit it as it is if "
            "you think it is right.",
            len(cautions),
        ) % {"counter": len(cautions)}

    def cautions(self) -> list[Caution]:
        """What to ask once. Only after `is_valid()`."""
        return []

    def answers(self) -> dict[str, Any]:
        """The answers in the task type's current schema. Only after `is_valid()`."""
        raise NotImplementedError


class TaskType(ABC):
    """One folder: form, page, contributions, export rows."""

    slug: ClassVar[str]
    name: ClassVar[str]
    schema_version: ClassVar[int]
    hit_title: ClassVar[str]
    hit_description: ClassVar[str]
    hit_keywords: ClassVar[str]
    form_class: ClassVar[type[TaskForm]]
    template_name: ClassVar[str]
    instructions_template_name: ClassVar[str]
    export_formats: ClassVar[tuple[str, ...]]
    # What each answer is called where a researcher reads it.
    answer_names: ClassVar[Mapping[str, Any]] = {}
    # How a researcher reads a response; gets `item` (the story as shown) and `answers`.
    review_template_name: ClassVar[str] = "admin/studies/response/_answers.html"

    @abstractmethod
    def item(self, story: Story) -> dict[str, Any]:
        """What a worker is shown of a story; stored with the task."""

    @abstractmethod
    def example_item(self) -> dict[str, Any]:
        """The item that a preview shows."""

    @abstractmethod
    def example_answers(self) -> dict[str, Any]:
        """Form fields that fill the preview's example."""

    @abstractmethod
    def contributions(
        self, answers: Mapping[str, Any], item: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """The usable pieces of a response: a list of {"kind", "content"}."""

    @abstractmethod
    def export_row(
        self, fmt: str, *, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """One row in one of `export_formats`. `label` is the row's opaque AssignmentId.

        Raises RowError when the item does not fit the format.
        """

    @abstractmethod
    def import_row(self, fmt: str, row: Mapping[str, Any]) -> ImportedRow:
        """The reverse of `export_row`, text kept to the byte. Raises RowError."""


_registry: dict[str, TaskType] = {}


class UnknownTaskType(LookupError):
    pass


def register(task_type: TaskType) -> None:
    if task_type.slug in _registry:
        raise ValueError(f"A task type named {task_type.slug} is registered already.")
    _registry[task_type.slug] = task_type


def get(slug: str) -> TaskType:
    """The task type of that name. Raises UnknownTaskType, naming the ones there are."""
    try:
        return _registry[slug]
    except KeyError:
        known = ", ".join(sorted(_registry)) or "none"
        raise UnknownTaskType(f"There is no task type “{slug}”. Known: {known}.") from None


def all_types() -> list[TaskType]:
    return [_registry[slug] for slug in sorted(_registry)]
