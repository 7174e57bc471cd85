"""PostgreSQL's own programs: those of the embedded wheel, or the machine's."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.db import connection

from config.backup.errors import BackupError
from config.embedded.errors import ServiceError
from config.embedded.programs import postgres_install

NEEDED = ("pg_dump", "pg_restore", "psql")
DEBIAN = Path("/usr/lib/postgresql")
# How Django's names of a connection's parts are called in libpq's environment.
LIBPQ = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}


@dataclass(frozen=True)
class Tools:
    folder: Path
    major: int

    def command(self, program: str, *arguments: str) -> list[str]:
        return [str(self.folder / program), *arguments]


def find_tools(*, server: int, archive: int = 0) -> Tools:
    """Return the oldest programs that know both the server's version and the archive's."""
    wanted = max(server, archive)
    fitting = [tools for tools in _installed() if tools.major >= wanted]
    if not fitting:
        raise BackupError(
            f"No pg_dump, pg_restore and psql of PostgreSQL {wanted} or newer were found. Run "
            "pip install -r requirements.txt, or install the package postgresql-client "
            f"of version {wanted}."
        )
    return min(fitting, key=lambda tools: tools.major)


@cache
def _installed() -> tuple[Tools, ...]:
    return tuple(
        Tools(folder, major)
        for folder in dict.fromkeys(_folders())
        if all((folder / name).is_file() for name in NEEDED) and (major := _major(folder))
    )


def _folders() -> Iterator[Path]:
    # Where the wheel has none for this machine, the machine's own may do.
    with suppress(ServiceError):
        yield from sorted(postgres_install().parent.glob("pginstall*/bin"), reverse=True)
    yield from sorted(DEBIAN.glob("*/bin"))
    if found := shutil.which("pg_dump"):
        yield Path(found).resolve().parent


def _major(folder: Path) -> int:
    try:
        said = subprocess.run([folder / "pg_dump", "--version"], capture_output=True, text=True)
    except OSError:
        return 0
    found = re.search(r"\) (\d+)", said.stdout)
    return int(found[1]) if found and said.returncode == 0 else 0


def server_major() -> int:
    connection.ensure_connection()
    return int(connection.connection.server_version) // 10000


def environment() -> dict[str, str]:
    """Return what the programs need to reach Django's database; no password on a command line."""
    parameters = connection.get_connection_params()
    known = {LIBPQ[name]: str(value) for name, value in parameters.items() if name in LIBPQ}
    return {"PATH": os.environ.get("PATH", os.defpath), "PGCONNECT_TIMEOUT": "10"} | known
