"""What launching a round by command is, where a room above brings what is to be done in it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandParser
from django.utils.module_loading import import_string

from studies.models import Job, Round, Study

if TYPE_CHECKING:
    # Rooms register when they start, and most commands launch nothing.
    from studies.services.plans import Plan


@dataclass(frozen=True)
class Launch:
    """`facts` are reported beside what every launch reports."""

    plan: "Plan"
    start: Callable[[], tuple[Round, Job]]
    facts: Mapping[str, Any] = field(default_factory=dict)


class LaunchOptions(ABC):
    """Of one task type: what is asked beside what every launch asks."""

    @abstractmethod
    def add_arguments(self, parser: CommandParser) -> None: ...

    @abstractmethod
    def launch(self, study: Study, chosen: dict[str, Any], options: dict[str, Any]) -> Launch:
        """`chosen` is what a plan is made of. Raises CommandError and RoundRefused."""


_paths: dict[str, str] = {}


def register(task_type: str, path: str) -> None:
    """`path` leads to a LaunchOptions; it is loaded by the command alone."""
    _paths[task_type] = path


def launch_options() -> dict[str, LaunchOptions]:
    return {slug: import_string(path)() for slug, path in _paths.items()}
