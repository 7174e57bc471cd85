"""Figures of a study's page, and the registry that every room fills when it starts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.utils.formats import localize
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from studies.models import Study
from studies.registering import load_registering

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """A plot with its data.

    `says` is a sentence: what it shows. `columns` name the values of `rows` in order; `chart` is
    Vega-Lite without data, in which colours are the styles of `theme.STYLES`. Without rows the page
    says `empty`.
    """

    slug: str
    title: Any
    says: Any
    columns: Mapping[str, Any]
    rows: Sequence[Row]
    chart: Mapping[str, Any]
    empty: Any

    @property
    def spec(self) -> dict[str, Any]:
        return {**self.chart, "data": {"values": list(self.rows)}}

    @property
    def table(self) -> list[list[Any]]:
        return [[row[name] for name in self.columns] for row in self.rows]

    @property
    def body(self) -> SafeString:
        """The table as HTML. Templates, and `format_html` at each cell, take far longer for the
        thousands of cells of a large study."""
        return SafeString("".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.table))


@dataclass(frozen=True)
class Tile:
    """A number of the page's first line, and what it means."""

    label: Any
    value: Any
    more: Any = ""
    place: int = 0


@dataclass(frozen=True)
class Shown:
    """What one room knows of a study."""

    tiles: Sequence[Tile] = ()
    figures: Sequence[Figure] = field(default_factory=list)


Maker = Callable[[Study], Shown]
_makers: list[Maker] = []


def shows(maker: Maker) -> Maker:
    """Has the study's page show what this makes; figures stand in the order of registration."""
    _makers.append(maker)
    return maker


def shown_of(study: Study) -> Shown:
    load_registering()
    parts = [maker(study) for maker in _makers]
    return Shown(
        tiles=sorted(_all(part.tiles for part in parts), key=lambda tile: tile.place),
        figures=_all(part.figures for part in parts),
    )


def _cell(value: Any) -> str:
    if value is None:
        return "<td>–</td>"
    if isinstance(value, int | float):
        return f"<td>{_number(value, get_language())}</td>"
    return f"<td>{conditional_escape(localize(value))}</td>"


@lru_cache(maxsize=4096, typed=True)
def _number(value: float, language: str | None) -> str:
    """In the language that is active: thousands of cells hold few different numbers."""
    return str(localize(value))


def _all(lists: Iterable[Sequence[Any]]) -> list[Any]:
    return [one for each in lists for one in each]
