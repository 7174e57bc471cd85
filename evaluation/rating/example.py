"""An invented item for any instrument, and answers to it: what a preview shows."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.as_data import to_data
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Field, Role

KEY = "example"
STORY = (
    gettext_lazy("Ines put the last box into the van."),
    gettext_lazy("She wiped her forehead with her sleeve."),
    gettext_lazy("The street was empty but for a cat."),
    gettext_lazy("She looked up at her old window once more."),
    gettext_lazy("Then she drove off without turning the radio on."),
)
REVISED_LAST = gettext_lazy("Then she drove off and sang along with the radio.")
STATE = gettext_lazy("Ines is sad to leave.")
MARKED = [4, 5]


def example_item(declared: Declaration) -> dict[str, Any]:
    return {
        "instrument": to_data(declared),
        "items": [{"key": KEY, "fields": example_fields(declared)}],
    }


def example_fields(declared: Declaration) -> dict[str, Any]:
    brought = {one.options_from: one.brought for one in declared.questions if one.options_from}
    return {
        field.name: _options(brought[field.name]) if field.name in brought else _value(field)
        for field in declared.fields
    }


def _options(count: int) -> list[str]:
    return [_("Answer %(n)s") % {"n": number} for number in range(1, count + 1)]


def _value(field: Field) -> Any:
    story = [str(sentence) for sentence in STORY]
    if field.name == "marked":
        return MARKED
    match field.role:
        case Role.STORY:
            return story
        case Role.REVISION:
            return [*story[:-1], str(REVISED_LAST)]
        case Role.STATE | Role.OUTPUT:
            return str(STATE)
    return story[0]
