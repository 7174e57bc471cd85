"""Pages with gaps for their texts: all else of them is rendered once.

    blank = Blank(render({"title": Gap("title")}))
    blank.filled({"title": "Salt & Rain"})  # what render({"title": "Salt & Rain"}) gives

A gap can be put on the page. A template that looks at it, to test, change or count it, fails: the
page would not be the same for all texts.
"""

import secrets
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NoReturn

from markupsafe import escape

# Not to be guessed: it stands in no text.
MARK = secrets.token_hex(16)


class GapTouched(TypeError):
    """A template looked at a text that it may only show."""


class Gap:
    def __init__(self, name: str) -> None:
        self._name = name

    def __html__(self) -> str:
        return f"{MARK}{self._name}{MARK}"

    def __bool__(self) -> NoReturn:
        raise GapTouched(f"“{self._name}” is a gap: it can be shown, and nothing else.")

    def __str__(self) -> NoReturn:
        self.__bool__()

    def __eq__(self, other: object) -> NoReturn:
        self.__bool__()


class Blank:
    """A rendered page, its gaps to be filled in."""

    def __init__(self, html: str) -> None:
        # HTML and names of gaps, by turns.
        self._pieces = html.split(MARK)

    def filled(self, texts: Mapping[str, str]) -> str:
        """The page with these texts, escaped as a template escapes them."""
        escaped = {name: escape(text) for name, text in texts.items()}
        pieces = self._pieces.copy()
        pieces[1::2] = [escaped[name] for name in pieces[1::2]]
        return "".join(pieces)


def shape_of(value: Any) -> Hashable:
    """All of a piece of JSON but its texts."""
    match value:
        case str():
            return str
        case dict():
            return dict, tuple([(key, shape_of(part)) for key, part in value.items()])
        case list():
            return list, tuple([shape_of(part) for part in value])
    return type(value), value


def with_gaps(shape: Any, name: str) -> Any:
    """The JSON of that shape, with gaps in the place of texts."""
    if shape is str:
        return Gap(name)
    kind, parts = shape
    if kind is dict:
        return {key: with_gaps(part, f"{name}.{key}") for key, part in parts}
    if kind is list:
        return [with_gaps(part, f"{name}.{at}") for at, part in enumerate(parts)]
    return parts


def texts_of(value: Any, name: str) -> dict[str, str]:
    """The texts of a piece of JSON, named as `with_gaps` names their gaps."""
    if isinstance(value, str):
        return {name: value}
    parts: Iterable[tuple[object, Any]] = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    found: dict[str, str] = {}
    for at, part in parts:
        found |= texts_of(part, f"{name}.{at}")
    return found
