"""The database in and out of an archive, through pg_dump, pg_restore and psql."""

import re
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO

from django.db import connection

from config.backup.archive import CHUNK, Progress
from config.backup.errors import BackupError
from config.backup.programs import Tools, environment
from config.backup.replacing import BEGIN, COMMIT

# A migrated site that nobody uses yet has rows in these.
FILLED_BEFORE_USE = {
    *("django_migrations", "django_content_type", "auth_permission"),
    # The groups of config/roles.py; without an account they are nobody's.
    *("auth_group", "auth_group_permissions"),
    # Those of the house; others are somebody's, who has an account.
    "evaluation_instrument",
    # A `restore` that was refused is in the audit log.
    "config_auditentry",
}
# Set by programs of PostgreSQL 17 and later; older servers do not know it.
NEW_SETTING = b"SET transaction_timeout = 0;\n"
KNOWS_NEW_SETTING = 17
# How psql begins what the server says of a line that no file has.
PLACE_IN_SCRIPT = re.compile(r"^psql:<stdin>:\d+: ")


def dump(tools: Tools, progress: Progress) -> Iterator[bytes]:
    """Yield a custom-format dump: one consistent state, while the site goes on working."""
    command = tools.command("pg_dump", "--format=custom", "--no-owner", "--no-privileges")
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=said, env=environment(), cwd="/"
        )
        with process:
            assert process.stdout is not None
            try:
                while chunk := process.stdout.read(CHUNK):
                    progress("database", len(chunk))
                    yield chunk
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            raise BackupError(f"The database could not be read. {_last_words(said)}")


def is_empty() -> bool:
    """Tell whether the database holds nothing of anybody's: no table, or what `migrate` makes."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor)) - FILLED_BEFORE_USE
        for table in tables:
            cursor.execute(f"SELECT EXISTS (SELECT FROM {connection.ops.quote_name(table)})")
            if cursor.fetchone()[0]:
                return False
    return True


def others_connected() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def load(tools: Tools, chunks: Iterable[bytes], *, server: int, last: str) -> None:
    """Put the dump in the place of everything in the schema `public`, in one transaction whose last
    statement is `last`.

    Nothing but the COMMIT at the very end, sent when all went well, makes it last: whatever is
    killed before, the server rolls back.
    """
    connection.close()
    with tempfile.TemporaryFile() as said:
        psql = subprocess.Popen(
            tools.command(
                *("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
            ),
            stdin=subprocess.PIPE,
            stderr=said,
            env=environment(),
            cwd="/",
        )
        try:
            assert psql.stdin is not None
            psql.stdin.write(BEGIN.encode())
            _write_script(tools, chunks, psql.stdin, old_server=server < KNOWS_NEW_SETTING)
            psql.stdin.write(f"{last}{COMMIT}".encode())
            psql.stdin.close()
        except BrokenPipeError:
            pass  # psql gave up; it says why below
        except BaseException:
            psql.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                psql.stdin.close() if psql.stdin else None
            psql.wait()
        if psql.returncode:
            why = PLACE_IN_SCRIPT.sub("", _last_words(said))
            raise BackupError(f"The database could not be restored, and is as it was. {why}")


def _write_script(
    tools: Tools, chunks: Iterable[bytes], sink: IO[bytes], *, old_server: bool
) -> None:
    # Of the schema alone: what a dump says of extensions is for the administrator of the server.
    kinds = ("--no-owner", "--no-privileges", "--schema=public")
    command = tools.command("pg_restore", *kinds, "--file=-")
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, cwd="/"
        )
        feeder = threading.Thread(target=_feed, args=(process, chunks), daemon=True)
        feeder.start()
        with process:
            assert process.stdout is not None
            try:
                head = process.stdout.read(CHUNK)
                sink.write(head.replace(NEW_SETTING, b"", 1) if old_server else head)
                while chunk := process.stdout.read(CHUNK):
                    sink.write(chunk)
            except BaseException:
                process.kill()
                raise
            feeder.join()
        if process.returncode:
            raise BackupError(f"The dump in the archive could not be read. {_last_words(said)}")


def _feed(process: "subprocess.Popen[bytes]", chunks: Iterable[bytes]) -> None:
    """A program that ends early says why itself."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        for chunk in chunks:
            process.stdin.write(chunk)
    with suppress(BrokenPipeError):
        process.stdin.close()


def _last_words(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    named = [line for line in lines if "ERROR" in line or "error:" in line]
    return (named or lines or ["PostgreSQL's program was stopped."])[0]
