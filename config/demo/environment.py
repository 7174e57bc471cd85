"""The demo's secrets and addresses, handed to every process through the environment."""

import os
import secrets
import string
from collections.abc import Callable
from pathlib import Path

from config.demo.ports import DEFAULT_PORT
from config.embedded.layout import data_folder
from config.embedded.state import write_private

READABLE = "abcdefghjkmnpqrstuvwxyz23456789"
UPPER = string.ascii_uppercase + string.digits


def _readable_password() -> str:
    """Return a password that is easy to type: about 74 bits in three groups."""
    return "-".join("".join(secrets.choice(READABLE) for _ in range(5)) for _ in range(3))


MAKERS: dict[str, Callable[[], str]] = {
    "FABULA_SECRET_KEY": lambda: secrets.token_urlsafe(48),
    "FABULA_DEMO_ADMIN_PASSWORD": _readable_password,
    "MTURK_ACCESS_KEY_ID": lambda: "".join(secrets.choice(UPPER) for _ in range(20)),
    "MTURK_SECRET_ACCESS_KEY": lambda: secrets.token_hex(20),
    "MTURK_SIGNING_SECRET": lambda: secrets.token_hex(32),
}


def read_secrets(file: Path) -> dict[str, str]:
    """Return the secrets kept in `file`, making those that are missing."""
    kept = _kept_in(file)
    missing = {name: make() for name, make in MAKERS.items() if not kept.get(name)}
    if missing:
        kept |= missing
        write_private(file, "".join(f"{name}={value}\n" for name, value in kept.items()))
    return kept


def _kept_in(file: Path) -> dict[str, str]:
    lines = file.read_text().splitlines() if file.exists() else []
    return dict(line.split("=", 1) for line in lines if "=" in line)


def demo_environment(*, var: Path, port: int) -> dict[str, str]:
    """Return the environment of the demo's processes; what the caller's own one sets wins."""
    own = {"FABULA_VAR": str(var), "PYTHONUNBUFFERED": "1"}
    return own | addresses(port) | read_secrets(var / "demo.env") | dict(os.environ)


def addresses(port: int) -> dict[str, str]:
    return {
        "FABULA_TASK_SITE_URL": f"http://127.0.0.1:{port}",
        "FABULA_WORKER_SITE_URL": f"http://localhost:{port}",
    }


def adopt_demo_settings() -> None:
    """Give a command the keys and addresses of the demo that has the same data, if there is one.

    What the environment sets already wins. Who names a database is not working on the demo.
    """
    var = data_folder()
    kept = _kept_in(var / "demo.env")
    if not kept or os.environ.get("DATABASE_URL"):
        return
    lock = var / "demo.lock"
    port = lock.read_text().strip() if lock.exists() else ""
    os.environ |= addresses(int(port or DEFAULT_PORT)) | kept | dict(os.environ)
