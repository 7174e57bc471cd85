"""What a task type is, and the registry that annotation and evaluation fill when they start."""

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy, ngettext

from studies.models import Assignment, Response, Round, Story


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


@dataclass(frozen=True)
class ReviewGrade:
    """How well a correct contribution is done."""

    slug: str
    name: Any
    definition: Any


@dataclass(frozen=True)
class ReviewReason:
    """Why a contribution is rejected, and of which steps it can be said."""

    slug: str
    name: Any
    definition: Any
    steps: tuple[int, ...]


@dataclass(frozen=True)
class ReviewForm:
    """What an expert can say of a contribution. The reason named OTHER asks for a remark."""

    OTHER: ClassVar[str] = "other"

    steps: Mapping[int, Any]
    grades: tuple[ReviewGrade, ...]
    reasons: tuple[ReviewReason, ...]
    # The contribution as an expert reads it; gets `item` and `content`.
    template_name: str

    def reasons_of(self, step: int) -> list[ReviewReason]:
        return [reason for reason in self.reasons if step in reason.steps]


class TaskForm(forms.Form):
    """The checks of a task type: errors block, cautions ask once."""

    # The numbered cards of the page, and how the header counts them.
    steps: Sequence[Any] = ()
    counter_words: Any = gettext_lazy("Step {step} of {steps}")

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
    # The list of keys at the end of the instructions.
    keys_template_name: ClassVar[str] = "task/_keys.html"
    # What the page calls what it shows, and the ways from the instructions to it.
    shown_name: ClassVar[Any] = gettext_lazy("Story")
    start_words: ClassVar[Any] = gettext_lazy("Start with the story")
    back_words: ClassVar[Any] = gettext_lazy("Back to the story")
    export_formats: ClassVar[tuple[str, ...]]
    # Whether a round's tasks are the study's stories; else whoever launches it brings them.
    from_stories: ClassVar[bool] = True
    # Whether each worker is shown items in an arrangement of their own (`arranged`), and of several
    # tasks that are served equally gets them in an order of their own.
    arranges: ClassVar[bool] = False
    # Whether page and form only show an item's texts and look at none: while nothing is written,
    # the page is rendered once for all items of a shape (studies/views/task_page.py).
    fills_in_page: ClassVar[bool] = False
    # Whether people write texts, of which it can be recorded how they come to be.
    is_written: ClassVar[bool] = True
    # What each answer is called where a researcher reads it.
    answer_names: ClassVar[Mapping[str, Any]] = {}
    # How a researcher reads a response; gets `item` (the story as shown) and `answers`.
    review_template_name: ClassVar[str] = "admin/studies/response/_answers.html"

    # What experts can say of its contributions; without it they are not reviewed.
    review: ClassVar[ReviewForm | None] = None

    @abstractmethod
    def item(self, story: Story) -> dict[str, Any]:
        """What a worker is shown of a story; stored with the task."""

    @abstractmethod
    def example_item(self) -> dict[str, Any]:
        """The item that a preview shows."""

    @abstractmethod
    def example_answers(self) -> dict[str, Any]:
        """Form fields that fill the preview's example."""

    def preview(self, round: Round) -> tuple[dict[str, Any], dict[str, Any]]:
        """The item that a preview of this round shows, and the form fields that fill it."""
        return self.example_item(), self.example_answers()

    def arranged(self, item: Mapping[str, Any], draw: random.Random) -> dict[str, Any]:
        """The item as one worker is shown it; `draw` is the same each time for this worker."""
        return dict(item)

    @abstractmethod
    def contributions(
        self, answers: Mapping[str, Any], item: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """The usable pieces of a response: a list of {"kind", "content"}."""

    def keep(self, response: Response, assignment: Assignment) -> None:  # noqa: B027
        """Write what else a response yields, within the transaction that commits it."""

    @abstractmethod
    def export_row(
        self, fmt: str, *, label: str, item: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """One row in one of `export_formats`. `label` is the row's opaque AssignmentId.

        Raises RowError when the item does not fit the format.
        """

    def needed_fields(self, fmt: str) -> tuple[str, ...]:
        """Those without which a row is not in this format at all."""
        return ()

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


def of_stories() -> list[TaskType]:
    """Those that a launch over the study's stories can choose from."""
    return [task_type for task_type in all_types() if task_type.from_stories]
