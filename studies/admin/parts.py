"""Pages that rooms above have for a row: they register them, and the row's page links there."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class Part:
    """`page` is the name of an address that takes the row's id."""

    name: Any
    page: str
    permission: str


class Parts:
    def __init__(self) -> None:
        self._parts: list[Part] = []

    def register(self, part: Part) -> None:
        self._parts.append(part)

    def links(self, request: HttpRequest, row: Model) -> list[tuple[Any, str]]:
        """Names and addresses of those that this person may see."""
        return [
            (part.name, reverse(part.page, args=[row.pk]))
            for part in self._parts
            if request.user.has_perm(part.permission)
        ]
