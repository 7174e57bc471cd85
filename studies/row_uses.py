"""Who uses a worker's rows: rooms above say it here, and a withdrawal lists it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from studies.models import Participant


@dataclass(frozen=True)
class RowUse:
    """`kind` names the sort of thing for programs, `page` its page in the admin by name of address
    and id, `rows` how many of the worker's it holds."""

    kind: str
    name: str
    page: str
    pk: int
    rows: int


Finder = Callable[[Participant], Iterable[RowUse]]
_finders: list[Finder] = []


def tells_uses(finder: Finder) -> Finder:
    _finders.append(finder)
    return finder


def uses_of(participant: Participant) -> list[RowUse]:
    return [use for finder in _finders for use in finder(participant)]


def as_dict(use: RowUse) -> dict[str, Any]:
    return {"kind": use.kind, "name": use.name, "id": use.pk, "rows": use.rows}
