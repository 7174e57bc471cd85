"""Statistics of a release: of all its splits together, of each, and how many rows are withheld."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.models import Release, Split
from annotation.releases.reading import Progress, ReleasedRow, manifest_of, read_rows
from annotation.releases.rule import ReleaseRule
from annotation.tasks.state_annotation.statistics import Statistics


class ReleaseFigures:
    """Withheld rows are counted and nothing more."""

    def __init__(self) -> None:
        self._all = Statistics()
        self._splits = {split.value: Statistics() for split in Split}
        self._withheld = 0

    def over(self, rows: Iterable[ReleasedRow]) -> Iterator[ReleasedRow]:
        """The rows, counted as they pass."""
        for row in rows:
            if row.split:
                self._all.add(row.item, row.answers)
                self._splits[row.split].add(row.item, row.answers)
            else:
                self._withheld += 1
            yield row

    def as_dict(self) -> dict[str, Any]:
        splits = {name: one.as_dict() for name, one in self._splits.items() if one.tuples}
        return {**self._all.as_dict(), "splits": splits, "withheld": self._withheld}


def figures_of(release: Release, *, progress: Progress | None = None) -> dict[str, Any]:
    """Counted from the rows as they are, not read from what was stored."""
    figures = ReleaseFigures()
    rows = read_rows(
        manifest=manifest_of(release),
        salt=release.salt,
        layout=ReleaseRule.from_dict(release.rule).layout,
        progress=progress,
    )
    for _row in figures.over(rows):
        pass
    return figures.as_dict()


def in_order(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The same with its keys in order, which the database does not keep."""
    names = Statistics().as_dict()
    splits = {
        split: {name: stored["splits"][split][name] for name in names}
        for split in Split.values
        if split in stored["splits"]
    }
    whole = {name: stored[name] for name in names}
    return {**whole, "splits": splits, "withheld": stored["withheld"]}
