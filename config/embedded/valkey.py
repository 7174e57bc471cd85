"""The embedded Valkey: a socket only, a password, every accepted job written to disk."""

import signal
import socket
from pathlib import Path
from urllib.parse import urlsplit

from config.embedded.server import Server
from config.embedded.state import read_secret

DATABASES = 64


class Valkey(Server):
    name = "valkey"
    stop_signal = signal.SIGTERM

    @property
    def socket(self) -> Path:
        return self.home.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://:{read_secret(self.layout, self.name)}@{self.socket}?db=0"

    def prepare(self) -> None:
        self.data.mkdir(exist_ok=True)
        self.home.account.owns(self.data)
        self.socket.unlink(missing_ok=True)

    def command(self) -> list[str]:
        return [str(self.programs.valkey), "-"]

    def settings_on_stdin(self) -> bytes:
        """Return the settings; on a command line every account could read the password."""
        settings = {
            "port": "0",
            "unixsocket": self.socket,
            "unixsocketperm": "700",
            "requirepass": read_secret(self.layout, self.name),
            "dir": f'"{_escape(self.data)}"',
            "appendonly": "yes",
            "appendfsync": "everysec" if self.durable else "no",
            "save": '""',
            "databases": DATABASES,
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
        }
        return "".join(f"{name} {value}\n" for name, value in settings.items()).encode()

    def complete(self) -> None:
        """Nothing: Valkey makes its databases itself."""

    def answers(self) -> bool:
        return valkey_answers(self.url)


def valkey_answers(url: str) -> bool:
    """Ask the server for a sign of life; while it loads its data it has none."""
    parts = urlsplit(url)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(parts.path)
            connection.sendall(f"AUTH {parts.password}\r\nPING\r\n".encode())
            said = b""
            while said.count(b"\r\n") < 2:
                chunk = connection.recv(1024)
                if not chunk:
                    return False
                said += chunk
    except OSError:
        return False
    return said == b"+OK\r\n+PONG\r\n"


def _escape(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
