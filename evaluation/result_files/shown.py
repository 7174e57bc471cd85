"""What an item shows, by the names of its instrument: files made elsewhere have names of their own.

The names are those of the published files, where a story is a column for each of its sentences, or
one text, and a sentence that is marked begins with an asterisk.
"""

from collections.abc import Mapping
from itertools import count, takewhile
from typing import Any

from evaluation.instruments.declaration import Declaration

MARK = "* "
STORIES = ("Input_line{}", "line{}", "Story")
REVISIONS = ("mod_line{}", "Mod_Story_gpt3")
KNOWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "state-inference": {"story": STORIES, "state": ("assertion",)},
    "story-revision": {
        "story": STORIES,
        "state": ("Answer_mod_assertion", "Mod_State"),
        "revision": REVISIONS,
    },
    "state-change": {"story": STORIES, "state": ("query_state",), "revision": REVISIONS},
}


def shown_fields(fields: Mapping[str, Any], declared: Declaration) -> dict[str, Any]:
    """The instrument's fields as far as the item has them, with `marked` for marked sentences."""
    known = KNOWN.get(declared.slug.removesuffix("-five"), {})
    shown = {
        field.name: found
        for field in declared.fields
        for found in [_found(fields, (field.name, *known.get(field.name, ())))]
        if found
    }
    if known and isinstance(story := shown.get("story"), list) and "marked" not in shown:
        marked = [number for number, text in enumerate(story, 1) if text.startswith(MARK)]
        shown["story"] = [text.removeprefix(MARK) for text in story]
        return shown | ({"marked": marked} if marked else {})
    return shown


def _found(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if "{}" not in name and fields.get(name):
            return [fields[name]] if name in {"Story", "Mod_Story_gpt3"} else fields[name]
        numbered = (fields.get(name.format(number)) for number in count(1))
        if "{}" in name and (lines := list(takewhile(bool, numbered))):
            return lines
    return None
