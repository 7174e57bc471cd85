"""A release to a folder of files: the same bytes each time."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.utils.translation import gettext as _

from annotation.models import Release
from annotation.releases import card, croissant
from annotation.releases.figures import in_order
from annotation.releases.folders import whole_folder
from annotation.releases.identity import ReleaseHash
from annotation.releases.reading import Progress, manifest_of, read_rows
from annotation.releases.rule import ReleaseRule
from annotation.releases.split_files import write_splits
from studies.services.response_writing import CannotWrite

CARD = "README.md"
CROISSANT = "croissant.json"
STATISTICS = "statistics.json"
_INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class ExportRefused(Exception):
    """Nothing was written; the text says why."""


class ReleaseDamaged(ExportRefused):
    """The rows are not what they were when the release was made."""


@dataclass(frozen=True)
class ReleaseExport:
    release: str
    folder: str
    rows: int
    files: list[str]

    def as_dict(self) -> dict[str, Any]:
        return vars(self)


def export_release(
    *, release: Release, folder: Path, force: bool = False, progress: Progress | None = None
) -> ReleaseExport:
    """Write the release's files to `folder`, which appears when it is whole.

    Raises ExportRefused when the folder exists already and `force` is not given, when it cannot be
    written, or when the rows do not have the release's hash any more.
    """
    if folder.exists() and not force:
        raise ExportRefused(
            _("%(file)s exists already. Use --force to replace it.") % {"file": folder}
        )
    try:
        with whole_folder(folder, force=force) as part:
            write_files(release=release, folder=part, progress=progress)
            files = sorted(file.name for file in part.iterdir())
    except CannotWrite as error:
        raise ExportRefused(str(error)) from error
    rows = release.statistics["tuples"] + release.statistics["withheld"]
    return ReleaseExport(release.name, str(folder), rows, files)


def write_files(*, release: Release, folder: Path, progress: Progress | None = None) -> None:
    """Raises ReleaseDamaged."""
    layout = ReleaseRule.from_dict(release.rule).layout
    rows = read_rows(
        manifest=manifest_of(release), salt=release.salt, layout=layout, progress=progress
    )
    sha256 = ReleaseHash()
    write_splits(rows=sha256.over(rows), folder=folder, layout=layout)
    if sha256.hexdigest() != release.sha256:
        raise ReleaseDamaged(
            _("Rows of %(release)s are not what they were when it was made. Nothing was written.")
            % {"release": release}
        )
    (folder / STATISTICS).write_bytes(orjson.dumps(in_order(release.statistics), option=_INDENTED))
    (folder / CARD).write_text(card.write_card(release), encoding="utf-8")
    described = croissant.describe(
        release=release, description=card.describe(release), files=list(folder.iterdir())
    )
    (folder / CROISSANT).write_bytes(orjson.dumps(described, option=_INDENTED))
