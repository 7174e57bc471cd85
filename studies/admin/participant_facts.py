"""What rooms above know of a participant: each fills this with columns of the list, which are lines
of the page too."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from studies.models import Participant

Annotate = Callable[[QuerySet[Participant]], QuerySet[Participant]]
# As `django.contrib.admin.display` makes it.
Show = Callable[[Any], str]

_facts: list[tuple[Annotate, Show]] = []


def register(*, annotate: Annotate, show: Show) -> None:
    """`annotate` gives participants what `show` reads, within their own query."""
    _facts.append((annotate, show))


def with_facts(participants: QuerySet[Participant]) -> QuerySet[Participant]:
    for annotate, _show in _facts:
        participants = annotate(participants)
    return participants


def shown() -> list[Show]:
    return [show for _annotate, show in _facts]
