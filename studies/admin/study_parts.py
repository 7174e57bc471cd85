"""Pages that rooms above have for a study: they fill this, and the study's page links there."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from studies.models import Study


@dataclass(frozen=True)
class StudyPart:
    """`page` is the name of an address that takes the study's id."""

    name: Any
    page: str
    permission: str


_parts: list[StudyPart] = []


def register(part: StudyPart) -> None:
    _parts.append(part)


def links_to_parts(request: HttpRequest, study: Study) -> list[tuple[Any, str]]:
    """Names and addresses of those that this person may see."""
    return [
        (part.name, reverse(part.page, args=[study.pk]))
        for part in _parts
        if request.user.has_perm(part.permission)
    ]
