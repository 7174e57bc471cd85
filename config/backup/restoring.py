"""Restoring a backup: first everything is checked, then all of it is put in place or nothing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.backup import database
from config.backup.archive import DUMP, FILES, Archive, Progress, open_archive
from config.backup.errors import BackupError, require_space
from config.backup.making import text_hash, uploaded_files
from config.backup.programs import find_tools, server_major
from config.rewritten import refuse_lacking


def restore_backup(path: Path, *, replace: bool, progress: Progress) -> list[str]:
    """Put the archive in the database's place; sentences that the administrator should read.

    Raises BackupError, and then database and files are as they were.
    """
    archive = open_archive(path, progress)
    notes = compare_migrations(archive)
    last = refuse_lacking(frozenset(split_names(archive)))
    server = server_major()
    refuse_older_server(archive, server)
    tools = find_tools(server=server, archive=archive.manifest["programs"])
    require_room(replace=replace)
    media = Path(settings.MEDIA_ROOT)
    targets = targets_of(archive, media)
    media.mkdir(parents=True, exist_ok=True)
    new_bytes = sum(archive.members[name].size for name in archive.file_names)
    require_space(media, new_bytes, what="Restoring the uploaded files")
    before = set(uploaded_files())
    with added_files(archive, targets, progress):
        database.load(
            tools, reported(archive, DUMP, "database", progress), server=server, last=last
        )
    kept = [name for name in before - set(archive.file_names) if not removed(media, name)]
    if kept:
        notes.append(f"Files of before could not be removed from {media}, among them {min(kept)}.")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return notes


def removed(media: Path, name: str) -> bool:
    try:
        (media / name.removeprefix(FILES)).unlink(missing_ok=True)
    except OSError:
        return False
    return True


def require_room(*, replace: bool) -> None:
    """Raise BackupError unless the database holds nothing, or may be replaced and is not in use."""
    if not replace and not database.is_empty():
        raise BackupError(
            "This database is not empty. Nothing was changed. Take a backup of it, then add "
            "--replace to have all of it, and the uploaded files, replaced."
        )
    if others := database.others_connected():
        raise BackupError(
            f"Other programs use this database ({others} connections). Stop the site, the job "
            "workers and beat, then restore."
        )


def compare_migrations(archive: Archive) -> list[str]:
    """Raise BackupError when the archive knows migrations that this version does not."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    known = {f"{app}.{name}": (app, name) for app, name in loader.disk_migrations}
    saved: dict[str, str] = archive.manifest["migrations"]
    if newer := sorted(saved.keys() - known.keys()):
        raise BackupError(
            f"{archive.path} was made by a newer Fabula: its database has had "
            f"{', '.join(newer[:3])}. Restore it with that version, or a later one."
        )
    notes = []
    if changed := [name for name in saved if text_hash(*known[name], loader) != saved[name]]:
        notes.append(
            f"This version words {', '.join(changed)} differently. Check the site before use."
        )
    if missing := sorted(known.keys() - saved.keys()):
        notes.append(
            f"The backup is of an older version, before {missing[0]}: run manage.py migrate."
        )
    return notes


def split_names(archive: Archive) -> Iterator[tuple[str, str]]:
    for name in archive.manifest["migrations"]:
        app, _, migration = name.partition(".")
        yield app, migration


def refuse_older_server(archive: Archive, server: int) -> None:
    saved = archive.manifest["postgresql"]
    if server < saved:
        raise BackupError(
            f"{archive.path} comes from PostgreSQL {saved}; this server is PostgreSQL {server}. "
            "Restore it to the same version or a newer one."
        )


def targets_of(archive: Archive, media: Path) -> dict[str, Path]:
    """Where each file of the archive goes, by its name there. Raises BackupError where one would
    leave `media`, for instance through a link."""
    folder = media.resolve()
    targets = {name: media / name.removeprefix(FILES) for name in archive.file_names}
    for name, target in targets.items():
        if folder not in target.resolve().parents:
            raise BackupError(
                f"{name} of {archive.path} would be written outside {media}. Nothing was changed."
            )
    return targets


@contextmanager
def added_files(archive: Archive, targets: dict[str, Path], progress: Progress) -> Iterator[None]:
    """Bring in the archive's files beside those that are there; out again when it fails.

    Uploads have names of their own, so until the commit the old database keeps all its files, and
    from the commit on the new one has all of its.
    """
    added: list[Path] = []
    try:
        for name, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                added.append(target)
            write_file(target, reported(archive, name, "files", progress))
        yield
    except BaseException:
        for target in added:
            target.unlink(missing_ok=True)
        raise


def write_file(target: Path, chunks: Iterator[bytes]) -> None:
    part = target.with_name(target.name + ".part")
    try:
        with part.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        part.rename(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def reported(archive: Archive, name: str, what: str, progress: Progress) -> Iterator[bytes]:
    for chunk in archive.chunks(name):
        progress(what, len(chunk))
        yield chunk
