"""Making a backup: written under another name and renamed when it is whole and on the disk."""

import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from config.backup import database
from config.backup.archive import CHUNK, DUMP, FILES, Progress, Writer
from config.backup.errors import BackupError, require_space
from config.backup.programs import find_tools, server_major
from studies.models import Job
from studies.services.kept_files import kept_places


def make_backup(path: Path, progress: Progress) -> int:
    """Write the archive; its size. Raises BackupError, and then there is no file of that name."""
    if path.exists():
        raise BackupError(f"{path} exists already. Name a file that does not.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}.")
    server = server_major()
    if not MigrationRecorder(connection).applied_migrations():
        raise BackupError(
            "There is nothing of Fabula in this database. Is DATABASE_URL set here, as it is for "
            "the site? A command that does not see it works on a database of its own."
        )
    tools = find_tools(server=server)
    files = uploaded_files()
    upper_bound = table_bytes() + sum(size for _, size in files.values())
    require_space(path.parent, upper_bound, what="The backup")
    with whole_file(path) as file:
        writer = Writer(file)
        writer.add(DUMP, database.dump(tools, progress))
        # The dump may hold a job whose file came since. Those seen before stay in the list: one
        # that is gone by now may be missed.
        files |= uploaded_files()
        for name, (uploaded, _size) in sorted(files.items()):
            add_file(writer, name, uploaded, progress)
        facts = {"postgresql": server, "programs": tools.major}
        writer.close({"made_at": timezone.now().isoformat(), **facts, "migrations": migrations()})
        return file.tell()


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file beside `path`, for our own eyes, that takes its name at the end. One at a time."""
    part = path.with_name(path.name + ".part")
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError(f"Another backup is writing {part}. Wait for its end.") from error
        try:
            file.truncate()
            yield file
            file.flush()
            os.fsync(descriptor)
            os.link(part, path)
        except FileExistsError as error:
            raise BackupError(f"{path} exists already. Name a file that does not.") from error
        finally:
            part.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def uploaded_files() -> dict[str, tuple[Path, int]]:
    """Path and size of what lies under MEDIA_ROOT, by its name in the archive."""
    root = Path(settings.MEDIA_ROOT)
    found = {}
    for path in sorted(root.rglob("*")):
        with suppress(FileNotFoundError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found[FILES + path.relative_to(root).as_posix()] = (path, status.st_size)
    return found


def add_file(writer: Writer, name: str, path: Path, progress: Progress) -> None:
    """Raises BackupError when the file is gone and a job in the dump may want it."""
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        if is_of_a_job(name.removeprefix(FILES)):
            raise BackupError(
                f"{path} was removed while the backup was made, and a job names it. "
                "Take the backup again."
            ) from error
        return
    with file:

        def chunks() -> Iterator[bytes]:
            while chunk := file.read(CHUNK):
                progress("files", len(chunk))
                yield chunk

        writer.add(name, chunks())


def is_of_a_job(place: str) -> bool:
    jobs = Job.objects.annotate(text=Cast("payload", TextField()))
    return jobs.filter(text__contains=place).exists()


def files_not_there() -> list[str]:
    """Uploaded files that jobs name and that do not lie under MEDIA_ROOT, the latest first."""
    there = uploaded_files().keys()
    payloads = Job.objects.order_by("-pk").values_list("payload", flat=True).iterator()
    named = dict.fromkeys(place for payload in payloads for place in kept_places(payload))
    return [place for place in named if FILES + place not in there]


def table_bytes() -> int:
    """What the tables take without their indexes: a dump, compressed, is smaller."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(pg_table_size(oid)), 0) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        return int(cursor.fetchone()[0])


def migrations() -> dict[str, str]:
    """The hash of each applied migration's text, by its name."""
    loader = MigrationLoader(connection)
    applied = sorted(key for key in loader.applied_migrations if key in loader.disk_migrations)
    return {f"{app}.{name}": text_hash(app, name, loader) for app, name in applied}


def text_hash(app: str, name: str, loader: MigrationLoader) -> str:
    module = import_module(loader.disk_migrations[app, name].__module__)
    assert module.__file__ is not None
    return hashlib.sha256(Path(module.__file__).read_bytes()).hexdigest()
