"""The files of a release in one archive, kept beside the uploads; it can be made again any time."""

import shutil
import tempfile
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from annotation.models import Release
from annotation.releases.exporting import ExportRefused, write_files
from annotation.releases.reading import Progress

FOLDER = "releases"
# Of every file inside: the archive tells no moment, as the files do not.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644 << 16
_CHUNK = 2**20


def place_of(release: Release) -> str:
    """The archive's name in the storage; with the hash, as a database made anew counts anew."""
    return f"{FOLDER}/{release.pk}-{release.sha256[:16]}.zip"


def is_packed(release: Release) -> bool:
    return default_storage.exists(place_of(release))


def pack_release(*, release: Release, progress: Progress | None = None) -> str:
    """Where the archive is. Raises ExportRefused. Safe to repeat."""
    place = place_of(release)
    if is_packed(release):
        return place
    try:
        with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile() as packed:
            folder = Path(name)
            write_files(release=release, folder=folder, progress=progress)
            _pack(folder, packed, top=f"{release.study.slug}-{release.name}")
            packed.seek(0)
            _keep(place, File(packed))
    except OSError as error:
        raise ExportRefused(
            _("The files could not be stored on the server: %(reason)s.")
            % {"reason": (error.strerror or str(error)).lower()}
        ) from error
    return place


def _pack(folder: Path, out: IO[bytes], *, top: str) -> None:
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            entry = ZipInfo(f"{top}/{file.name}", _EPOCH)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = _READABLE
            with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as inside:
                shutil.copyfileobj(source, inside, _CHUNK)


def _keep(place: str, packed: "File[bytes]") -> None:
    """Under a name of its own first, so that nobody downloads half of it."""
    part = default_storage.save(f"{place}.part", packed)
    Path(default_storage.path(part)).replace(default_storage.path(place))
