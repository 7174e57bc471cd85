"""The archive: a plain tar file whose last members are a manifest of hashes and its own hash."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from config.backup.errors import BackupError

FORMAT = 1
DUMP = "database.dump"
FILES = "files/"
MANIFEST, SEAL = "manifest.json", "manifest.sha256"
CHUNK = 1024 * 1024

# Called with what is being done and the bytes done since the last call.
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Archive:
    """An archive whose every byte was checked against its manifest."""

    path: Path
    manifest: dict[str, Any]
    members: dict[str, tarfile.TarInfo]

    @property
    def file_names(self) -> list[str]:
        return sorted(name for name in self.members if name.startswith(FILES))

    def chunks(self, name: str) -> Iterator[bytes]:
        member = self.members[name]
        with self.path.open("rb") as file:
            file.seek(member.offset_data)
            yield from read_chunks(file, member.size)


def read_chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    left = size
    while left and (chunk := file.read(min(CHUNK, left))):
        left -= len(chunk)
        yield chunk


class Writer:
    """Writes members one after another; a member's size need not be known before its end."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.members: dict[str, dict[str, Any]] = {}

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.mode = 0o600
        start = self.file.tell()
        self.file.write(info.tobuf(tarfile.GNU_FORMAT))
        digest = hashlib.sha256()
        for chunk in chunks:
            digest.update(chunk)
            info.size += len(chunk)
            self.file.write(chunk)
        self.file.write(b"\0" * (-info.size % tarfile.BLOCKSIZE))
        end = self.file.tell()
        self.file.seek(start)
        self.file.write(info.tobuf(tarfile.GNU_FORMAT))
        self.file.seek(end)
        self.members[name] = {"size": info.size, "sha256": digest.hexdigest()}

    def close(self, facts: dict[str, Any]) -> None:
        manifest = {"format": FORMAT, **facts, "members": dict(self.members)}
        text = json.dumps(manifest, indent=1, ensure_ascii=False).encode()
        self.add(MANIFEST, [text])
        self.add(SEAL, [hashlib.sha256(text).hexdigest().encode()])
        self.file.write(b"\0" * tarfile.BLOCKSIZE * 2)


def open_archive(path: Path, progress: Progress) -> Archive:
    """Read the whole archive and check every hash. Raises BackupError that names what is wrong."""
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    try:
        with tarfile.open(path, "r:") as tar:
            found = {member.name: member for member in tar if member.isreg()}
            sums = {name: _sum(tar, member, progress) for name, member in found.items()}
            manifest = _manifest(path, tar, found)
    except tarfile.TarError as error:
        raise damaged(path, "it is no archive of Fabula, or it was cut off") from error
    for name, listed in manifest["members"].items():
        if sums.pop(name, "") != listed["sha256"]:
            raise damaged(path, f"{name} in it is not what was saved")
    if unlisted := set(sums) - {MANIFEST, SEAL}:
        raise damaged(path, f"it holds {min(unlisted)}, which its manifest does not name")
    for name in found:
        place = PurePosixPath(name.removeprefix(FILES))
        if place.is_absolute() or ".." in place.parts or not place.parts:
            raise damaged(path, f"it names the place {name}")
    return Archive(path, manifest, found)


def _sum(tar: tarfile.TarFile, member: tarfile.TarInfo, progress: Progress) -> str:
    digest = hashlib.sha256()
    source = tar.extractfile(member) or io.BytesIO()
    while chunk := source.read(CHUNK):
        digest.update(chunk)
        progress("checking", len(chunk))
    return digest.hexdigest()


def _manifest(
    path: Path, tar: tarfile.TarFile, found: dict[str, tarfile.TarInfo]
) -> dict[str, Any]:
    if MANIFEST not in found or SEAL not in found:
        raise damaged(path, "its end is missing, so it was cut off or altered")
    text, seal = (tar.extractfile(found[name]) for name in (MANIFEST, SEAL))
    raw = text.read() if text else b""
    if seal is None or seal.read().decode(errors="replace") != hashlib.sha256(raw).hexdigest():
        raise damaged(path, "its manifest is not what was saved")
    manifest: dict[str, Any] = json.loads(raw)
    if manifest["format"] > FORMAT:
        raise BackupError(
            f"{path} was written by a newer Fabula, in archive format {manifest['format']}. "
            "Restore it with that version."
        )
    return manifest


def damaged(path: Path, why: str) -> BackupError:
    return BackupError(f"{path} is damaged: {why}. Nothing was changed; take another backup.")
