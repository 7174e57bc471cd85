"""What the owner tells the users: a small file, replaced whole."""

import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from config.embedded.layout import Layout


@dataclass(frozen=True)
class ServerState:
    """One server as the owner saw it last. `at` tells an old failure from a new one."""

    state: Literal["starting", "ready", "failed"]
    url: str = ""
    message: str = ""
    at: float = 0.0


def write_state(layout: Layout, servers: dict[str, ServerState], notice: str) -> None:
    book = {"notice": notice, "servers": {name: asdict(one) for name, one in servers.items()}}
    write_private(layout.state, json.dumps(book))


def read_state(layout: Layout) -> tuple[dict[str, ServerState], str]:
    """Return the servers by name and the owner's notice; nothing when there is no file."""
    try:
        book = json.loads(layout.state.read_text())
    except FileNotFoundError:
        return {}, ""
    servers = {name: ServerState(**one) for name, one in book["servers"].items()}
    return servers, book["notice"]


def now() -> float:
    return time.time()


def read_secret(layout: Layout, name: str) -> str:
    """Return a server's password, made the first time."""
    book: dict[str, str] = {}
    if layout.secrets.exists():
        book = json.loads(layout.secrets.read_text())
    if name not in book:
        book[name] = secrets.token_hex(16)
        write_private(layout.secrets, json.dumps(book))
    return book[name]


def write_private(path: Path, text: str) -> None:
    """Replace a file at once; only this account may read it."""
    half = path.with_name(f"{path.name}.{os.getpid()}")
    fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(text)
    half.replace(path)
