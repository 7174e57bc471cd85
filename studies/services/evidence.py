"""What the task page counts while a text is written, read from untrusted JSON. Pure.

A page sends running totals of its own, so the newest ones of each page load are kept and the
page loads are added up: a repeated, late or lost message counts nothing twice. docs/data.md says
what each counter means.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from studies.storable import storable

VERSION = 1
NOTE_LENGTH = 200
WEEK_MS = 7 * 24 * 3600 * 1000
# The most that a counter of one step and page load can say.
COUNTERS = {
    "active_ms": WEEK_MS,
    "keys": 1_000_000,
    "away": 100_000,
    "away_ms": WEEK_MS,
    "undos": 100_000,
    "resets": 100_000,
}
SIZES = ("pastes", "drops")
MOST_SIZES = 100
LARGEST_SIZE = 1_000_000
MOST_PAGES = 50
MOST_BYTES = 50_000
PAGE = re.compile(r"[0-9a-f]{16,40}")
STEP = re.compile(r"[0-9]{1,2}")
Step = dict[str, Any]


class Unreadable(Exception):
    """What arrived is not what our page sends. `code` says what is wrong, without quoting it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def add_page(kept: Mapping[str, Any], sent: Any, *, revision: int) -> dict[str, Any]:
    """What is kept of an assignment, with the totals that one of its pages sent.

    An older message of the same page changes nothing. Raises Unreadable.
    """
    if not isinstance(sent, dict) or set(sent) != {"page", "steps", "note"}:
        raise Unreadable("layout")
    page, note = sent["page"], sent["note"]
    if not isinstance(page, str) or not PAGE.fullmatch(page):
        raise Unreadable("page")
    if not isinstance(note, str):
        raise Unreadable("note")
    if not 0 <= revision < 2**53:
        raise Unreadable("revision")
    steps = read_steps(sent["steps"])
    pages: dict[str, Any] = dict(kept.get("pages", {}))
    if pages.get(page, {"revision": -1})["revision"] >= revision:
        return dict(kept)
    pages[page] = {"revision": revision, "steps": steps}
    added = {"pages": pages, "note": one_line(note)}
    if len(pages) > MOST_PAGES or len(json.dumps(added)) > MOST_BYTES:
        raise Unreadable("amount")
    return added


def read_steps(value: Any) -> dict[str, Step]:
    """Counters by the number of the step. Raises Unreadable."""
    if not isinstance(value, dict) or not all(STEP.fullmatch(name) for name in value):
        raise Unreadable("steps")
    return {name: _read_step(step) for name, step in value.items()}


def _read_step(step: Any) -> Step:
    if not isinstance(step, dict) or set(step) != {*COUNTERS, *SIZES}:
        raise Unreadable("step")
    for name, most in COUNTERS.items():
        if not _is_count(step[name], most):
            raise Unreadable(name)
    for name in SIZES:
        sizes = step[name]
        if not isinstance(sizes, list) or len(sizes) > MOST_SIZES:
            raise Unreadable(name)
        if not all(_is_count(size, LARGEST_SIZE) for size in sizes):
            raise Unreadable(name)
    return dict(step)


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def unreadable(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept once a message could not be read: that nothing is known, and the note."""
    return {"unreadable": True, "note": kept.get("note", "")}


def freeze(kept: Mapping[str, Any], note: str | None = None) -> dict[str, Any] | None:
    """What goes with the response: the pages added up. None where nothing was recorded.

    `note` is the one sent with the response, else the last one kept.
    """
    line = one_line(kept.get("note", "") if note is None else note)
    if kept.get("unreadable"):
        return {"version": VERSION, "unreadable": True, "note": line}
    pages = [page["steps"] for page in kept.get("pages", {}).values()]
    if not pages:
        return None
    names = sorted({name for steps in pages for name in steps}, key=int)
    added = {name: _add_up([steps[name] for steps in pages if name in steps]) for name in names}
    return {"version": VERSION, "pages": len(pages), "steps": added, "note": line}


def _add_up(parts: list[Step]) -> Step:
    counters = {name: sum(part[name] for part in parts) for name in COUNTERS}
    return counters | {name: [size for part in parts for size in part[name]] for name in SIZES}


def one_line(text: str) -> str:
    """The worker's remark: one line, bounded, without what the database cannot hold."""
    return " ".join(storable(text).split())[:NOTE_LENGTH].strip()
