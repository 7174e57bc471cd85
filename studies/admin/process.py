"""How a response's text came to be, as rows to read."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.durations import say_duration


@dataclass(frozen=True)
class StepRow:
    """One step in words; "–" where there was none of a thing."""

    name: str
    active: str
    keys: str
    pastes: str
    drops: str
    away: str
    undone: str


@dataclass(frozen=True)
class Process:
    """`problem` says why nothing is known; else there are rows."""

    rows: list[StepRow]
    note: str = ""
    visits: str = ""
    problem: str = ""


def read_process(evidence: Mapping[str, Any] | None) -> Process:
    """A response's evidence for a reviewer's eyes."""
    if evidence is None:
        problem = _("Not recorded. Nobody has to agree to it, and it needs scripts in the browser.")
        return Process([], problem=problem)
    note = evidence.get("note", "")
    if evidence.get("unreadable"):
        problem = _("Not recorded: what the browser sent could not be read.")
        return Process([], note=note, problem=problem)
    rows = [_row(number, step) for number, step in evidence["steps"].items()]
    return Process(rows, note=note, visits=_visits(evidence["pages"]))


def _visits(pages: int) -> str:
    text = ngettext("The page was opened once.", "The page was opened %(count)s times.", pages)
    return text % {"count": number_format(pages)}


def _row(number: str, step: Mapping[str, Any]) -> StepRow:
    return StepRow(
        name=number if number != "0" else _("none"),
        active=_time(step["active_ms"]),
        keys=_count(step["keys"]),
        pastes=_sizes(step["pastes"]),
        drops=_sizes(step["drops"]),
        away=_absences(step["away"], step["away_ms"]),
        undone=_count(step["undos"] + step["resets"]),
    )


def _count(count: int) -> str:
    return number_format(count) if count else "–"


def _time(milliseconds: int) -> str:
    seconds = round(milliseconds / 1000)
    return say_duration(timedelta(seconds=seconds)) if seconds else "–"


def _sizes(sizes: list[int]) -> str:
    """The number of characters of each."""
    return " + ".join(map(number_format, sizes)) or "–"


def _absences(count: int, milliseconds: int) -> str:
    if not count:
        return "–"
    return _("%(count)s × in %(time)s") % {
        "count": number_format(count),
        "time": _time(milliseconds),
    }
