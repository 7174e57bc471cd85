"""Pairs rated elsewhere: which two systems, and which of them stood on which side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import FIRST, SECOND, Code, Kind
from evaluation.result_files.errors import (
    NoPairs,
    RivalNeeded,
    SidesContradict,
    UnknownSide,
)
from evaluation.result_files.mapping import ColumnMap

OTHER = {FIRST: SECOND, SECOND: FIRST}


@dataclass(frozen=True)
class Sides:
    """The two systems, and the places of the columns that name the one on a side, if any do."""

    system: str
    rival: str
    pairs: frozenset[str]
    columns: Mapping[str, tuple[str, int]]

    def swapped(self, number: int, cells: Sequence[str]) -> bool | None:
        """Whether the system stood on the right; None where the file says nothing of sides.

        Raises UnknownSide and SidesContradict.
        """
        on_right = {
            (self._system(number, cells[place], name) == self.system) == (side == "right")
            for side, (name, place) in self.columns.items()
        }
        if len(on_right) > 1:
            raise SidesContradict(number, _("one system stands on both sides."))
        return on_right.pop() if on_right else None

    def about_systems(self, answers: Mapping[str, Code], *, swapped: bool) -> dict[str, Code]:
        """Answers about the left and the right one as answers about the systems."""
        return {
            slug: OTHER.get(str(code), code) if swapped and slug in self.pairs else code
            for slug, code in answers.items()
        }

    def _system(self, number: int, cell: str, column: str) -> str:
        name = cell.strip()
        if name not in {self.system, self.rival}:
            raise UnknownSide(
                number,
                _("“%(name)s” in the column “%(column)s” is neither %(system)s nor %(rival)s."),
                name=name[:100],
                column=column,
                system=self.system,
                rival=self.rival,
            )
        return name


def match_sides(
    header: Sequence[str], declared: Declaration, map: ColumnMap, *, system: str, rival: str
) -> Sides | None:
    """None where the instrument compares nothing. Raises RivalNeeded and NoPairs."""
    pairs = frozenset(one.slug for one in declared.questions if one.kind is Kind.PAIRWISE)
    if not pairs:
        if rival or map.left or map.right:
            raise NoPairs(
                _("“%(instrument)s” asks about one system at a time: there is no second one.")
                % {"instrument": declared.slug}
            )
        return None
    if not rival or rival == system:
        raise RivalNeeded(
            _("“%(instrument)s” compares two systems: name the second one.")
            % {"instrument": declared.slug}
        )
    named = {"left": map.left, "right": map.right}
    columns = {side: (name, header.index(name)) for side, name in named.items() if name}
    return Sides(system, rival, pairs, columns)
