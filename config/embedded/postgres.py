"""The embedded PostgreSQL: a socket only, a generated password, the same order on any machine."""

import shutil
import signal
from pathlib import Path
from urllib.parse import quote

import psycopg2

from config.embedded.server import Server
from config.embedded.state import read_secret, write_private

USER = DATABASE = "fabula"
INITDB = (
    f"--username={USER}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    # Sorted by code point and folded by Unicode's rules wherever the server runs.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
)
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "300",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
}
# Survives whatever becomes of the processes, but not a loss of power: enough for tests. Tables that
# a test fills and empties are not counted in between, or the next one's statements would be planned
# for no rows at all.
NOT_DURABLE = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}


class Postgres(Server):
    name = "postgres"
    stop_signal = signal.SIGINT  # a fast shutdown: sessions are cut, everything is written

    @property
    def url(self) -> str:
        return self._url(DATABASE)

    def _url(self, database: str) -> str:
        password = read_secret(self.layout, self.name)
        return f"postgresql://{USER}:{password}@{quote(str(self.home.sockets), safe='')}/{database}"

    def prepare(self) -> None:
        if not (self.data / "PG_VERSION").exists():
            self._make_cluster()
        # Nothing of an earlier server is alive, or this lock would not be ours.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for left in self.home.sockets.glob(".s.PGSQL.*"):
            left.unlink()

    def _make_cluster(self) -> None:
        """Make the cluster beside its place, so that a half-made one is never taken for it."""
        half = self.home.folder / f"{self.name}.part"
        shutil.rmtree(half, ignore_errors=True)
        password = self.home.folder / "password.part"
        write_private(password, read_secret(self.layout, self.name))
        self.home.account.owns(password)
        sync = () if self.durable else ("--no-sync",)
        initdb = str(self.programs.postgres_bin / "initdb")
        try:
            self.run_tool([initdb, f"--pgdata={half}", f"--pwfile={password}", *INITDB, *sync])
        finally:
            password.unlink()
        half.rename(self.data)

    def command(self) -> list[str]:
        settings = SETTINGS | {"unix_socket_directories": str(self.home.sockets)}
        settings |= {} if self.durable else NOT_DURABLE
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [str(self.programs.postgres_bin / "postgres"), "-D", str(self.data), *options]

    def answers(self) -> bool:
        return postgres_answers(self._url("postgres"))

    def complete(self) -> None:
        connection = psycopg2.connect(self._url("postgres"))
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
                if cursor.fetchone() is None:
                    cursor.execute(f"CREATE DATABASE {DATABASE}")
        finally:
            connection.close()


def postgres_answers(url: str) -> bool:
    try:
        psycopg2.connect(url, connect_timeout=5).close()
    except psycopg2.OperationalError:
        return False
    return True


def socket_folder(url: str) -> Path:
    """Return the folder of the server's socket, from its address."""
    connection = psycopg2.extensions.parse_dsn(url)
    return Path(connection["host"])
