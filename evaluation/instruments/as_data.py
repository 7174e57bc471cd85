"""Declarations to plain data, as the database and files keep them, and back."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import BadInstrument
from studies.story_files.json_lines import text_fault

T = TypeVar("T")
MOST_CHARACTERS = 100_000
PLAIN = {
    str: gettext_lazy("a text"),
    int: gettext_lazy("a whole number"),
    bool: gettext_lazy("true or false"),
}


def to_data(value: Any) -> Any:
    """Without what has its default."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [to_data(one) for one in value]
    if not hasattr(value, "__dataclass_fields__"):
        return value
    given = {one.name: getattr(value, one.name) for one in fields(value)}
    defaults = {one.name: one.default for one in fields(value)}
    return {name: to_data(held) for name, held in given.items() if held != defaults[name]}


def declaration_from(data: Any) -> Declaration:
    """Raises BadInstrument."""
    return _record(Declaration, data, "")


def _record(cls: type[T], data: Any, place: str) -> T:
    if not isinstance(data, Mapping):
        raise _wrong(place, _("an object with names and values"))
    known = {one.name: one for one in fields(cls)}  # type: ignore[arg-type]
    for name in data:
        if name not in known:
            said = _("“%(name)s” is unknown. Known: %(known)s.")
            raise _at_place(place, said % {"name": name, "known": ", ".join(known)})
    missing = [name for name, one in known.items() if one.default is MISSING and name not in data]
    if missing:
        raise _at_place(place, _("“%(name)s” is missing.") % {"name": missing[0]})
    types = get_type_hints(cls)
    return cls(**{name: _value(types[name], data[name], _at(place, name)) for name in data})


def _value(kind: Any, data: Any, place: str) -> Any:
    if get_origin(kind) is tuple:
        if not isinstance(data, list):
            raise _wrong(place, _("a list"))
        inner = get_args(kind)[0]
        return tuple(_value(inner, one, f"{place}[{i}]") for i, one in enumerate(data))
    if isinstance(kind, UnionType):
        if data is None and type(None) in get_args(kind):
            return None
        choices = [one for one in get_args(kind) if one is not type(None)]
        fitting = [one for one in choices if one in PLAIN and type(data) is one]
        return _value(fitting[0] if fitting else choices[0], data, place)
    if kind in PLAIN:
        if type(data) is not kind:
            raise _wrong(place, PLAIN[kind])
        if isinstance(data, str) and (fault := text_fault(data)):
            raise _at_place(place, fault[1])
        return data
    if issubclass(kind, StrEnum):
        if data not in list(kind):
            raise _wrong(place, _("one of %(names)s") % {"names": ", ".join(kind)})
        return kind(data)
    return _record(kind, data, place)


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _at_place(place: str, said: Any) -> BadInstrument:
    """Of the declaration itself there is no place to tell."""
    return BadInstrument(f"{place}: {said}" if place else str(said))


def _wrong(place: str, what: Any) -> BadInstrument:
    named = place or _("The declaration")
    return BadInstrument(_("%(place)s has to be %(what)s.") % {"place": named, "what": what})
