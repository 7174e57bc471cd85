"""What every method's configuration has in common: frozen, checked, to JSON and back."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from decimal import Decimal, InvalidOperation
from pathlib import PurePath
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints
from uuid import UUID

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from modeling.run_folder import run_named
from modeling.tasks.registry import TASKS
from studies.story_files.json_lines import text_fault

Text = str | Promise
WANTED: dict[Any, Text] = {
    int: _("Give a whole number."),
    float: _("Give a number."),
    Decimal: _("Give a number."),
    str: _("Give a text; a number that is meant as one stands in quotation marks."),
}
# What nobody means to exceed, and what the database and every method can still hold.
MOST, MOST_CHARACTERS = 1_000_000_000, 200


class BadConfiguration(ValueError):
    """A setting is unknown, or has a value that it cannot have. `problems` says what is wrong with
    each."""

    def __init__(self, problems: Mapping[str, Text]) -> None:
        super().__init__(problems)
        self.problems = dict(problems)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {problem}" for name, problem in self.problems.items())


def number(default: Any, *, least: Any = None, above: Any = None, most: Any = MOST) -> Any:
    """A field with bounds."""
    return field(default=default, metadata={"least": least, "above": above, "most": most})


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """Frozen and checked when it is made, stored as JSON on the run. Raises BadConfiguration.

    `capability` names the queue whose workers can do it, `for_tasks` the tasks that it can do,
    `models` the settings that name a model: a folder, a name on a hub, or a run's id.
    """

    slug: ClassVar[str]
    name: ClassVar[Text]
    capability: ClassVar[str] = "gpu"
    for_tasks: ClassVar[tuple[str, ...]] = tuple(TASKS)
    models: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if problems := dict(_mistyped(self)) or dict(self.check()):
            raise BadConfiguration(problems)

    def check(self) -> Iterator[tuple[str, Text]]:
        """Settings and what is wrong with them. Methods add to it."""
        for one in fields(self):
            value = getattr(self, one.name)
            if problem := _out_of_bounds(one, value) or _unstorable(value):
                yield one.name, problem
        for setting, name in self.models_named.items():
            if ".." in PurePath(name).parts:
                yield setting, _("Give the path without “..”.")

    @property
    def models_named(self) -> dict[str, str]:
        """What models are called, by setting; an endpoint's own, too."""
        named = {setting: getattr(self, setting, "") for setting in ("model", *self.models)}
        return {setting: name for setting, name in named.items() if name}

    @property
    def runs_named(self) -> dict[str, UUID]:
        """The runs whose models it uses, by setting: `model` is the one that it goes on from."""
        named = {setting: run_named(getattr(self, setting)) for setting in self.models}
        return {setting: run for setting, run in named.items() if run}

    def as_dict(self) -> dict[str, Any]:
        return {one.name: _to_json(getattr(self, one.name)) for one in fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What is absent has its default. Raises BadConfiguration."""
        known = {one.name: _has_default(one) for one in fields(cls)}
        unknown: dict[str, Text] = {
            name: _("This method has no such setting.") for name in values if name not in known
        }
        missing: dict[str, Text] = {
            name: _("Give a value.")
            for name, has_default in known.items()
            if not has_default and name not in values
        }
        if problems := unknown | missing:
            raise BadConfiguration(problems)
        hints = get_type_hints(cls)
        return cls(**{name: _from_json(hints[name], value) for name, value in values.items()})


def _has_default(one: "Field[Any]") -> bool:
    # Both are the same mark of absence.
    return one.default is not one.default_factory


def _mistyped(configuration: Configuration) -> Iterator[tuple[str, Text]]:
    hints = get_type_hints(type(configuration))
    for one in fields(configuration):
        if not _fits(hints[one.name], getattr(configuration, one.name)):
            yield one.name, _wanted(hints[one.name])


def _wanted(hint: Any) -> Text:
    """What to give, where something else was given."""
    if get_origin(hint) is Literal:
        return format_lazy(_("Give one of these: {values}."), values=", ".join(get_args(hint)))
    if get_origin(hint) is tuple:
        return format_lazy(_("Give a list, such as {example}."), example=_a_list(get_args(hint)[0]))
    return WANTED[hint]


def _a_list(hint: Any) -> str:
    """Of such values, as JSON."""
    some = {int: (5, 10), str: ("one", "two")}
    return json.dumps([*(get_args(hint) or some[hint])])


def _out_of_bounds(one: "Field[Any]", value: Any) -> Text:
    bounds = one.metadata
    if bounds.get("least") is not None and value < bounds["least"]:
        return format_lazy(_("Give {bound} or more."), bound=bounds["least"])
    if bounds.get("above") is not None and value <= bounds["above"]:
        return format_lazy(_("Give more than {bound}."), bound=bounds["above"])
    if bounds.get("most") is not None and value > bounds["most"]:
        return format_lazy(_("Give {bound} or less."), bound=bounds["most"])
    return ""


def _unstorable(value: Any) -> Text:
    """What is wrong with a text, or with the first such one of several."""
    texts = [one for one in (value if isinstance(value, tuple) else (value,)) if type(one) is str]
    if any(len(text) > MOST_CHARACTERS for text in texts):
        return format_lazy(_("Give {bound} characters or fewer."), bound=MOST_CHARACTERS)
    faults = (text_fault(text) for text in texts)
    return next((sentence for _code, sentence in filter(None, faults)), "")


def _fits(hint: Any, value: Any) -> bool:
    if get_origin(hint) is Literal:
        return type(value) is str and value in get_args(hint)
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return isinstance(value, tuple) and all(_fits(inner, each) for each in value)
    if hint is float:
        return type(value) in {int, float} and abs(value) < float("inf")
    if hint is Decimal:
        return isinstance(value, Decimal) and value.is_finite()
    return type(value) is hint


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [*value]
    return str(value) if isinstance(value, Decimal) else value


def _from_json(hint: Any, value: Any) -> Any:
    """As it was before it became JSON; what does not fit is left for the check."""
    if get_origin(hint) is tuple and isinstance(value, list):
        return tuple(value)
    if hint is Decimal and type(value) in {str, int, float}:
        try:
            return Decimal(str(value) if type(value) is float else value)
        except InvalidOperation:
            return value
    return value
