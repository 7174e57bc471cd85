"""The demo's secrets and addresses, handed to every process through the environment."""

import os
import secrets
import string
from collections.abc import Callable
from pathlib import Path

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
    "MTURK_SECRET_ACCESS_KEY": lambda: secrets.token_urlsafe(30),
    "MTURK_SIGNING_SECRET": lambda: secrets.token_urlsafe(32),
}


def read_secrets(file: Path) -> dict[str, str]:
    """Return the secrets kept in `file`, making those that are missing."""
    lines = file.read_text().splitlines() if file.exists() else []
    kept = dict(line.split("=", 1) for line in lines if "=" in line)
    missing = {name: make() for name, make in MAKERS.items() if not kept.get(name)}
    if missing:
        kept |= missing
        write_private(file, "".join(f"{name}={value}\n" for name, value in kept.items()))
    return kept


def demo_environment(*, var: Path, port: int) -> dict[str, str]:
    """Return the environment of the demo's processes; what the caller's own one sets wins."""
    addresses = {
        "FABULA_VAR": str(var),
        "FABULA_TASK_SITE_URL": f"http://127.0.0.1:{port}",
        "FABULA_WORKER_SITE_URL": f"http://localhost:{port}",
        "PYTHONUNBUFFERED": "1",
    }
    return addresses | read_secrets(var / "demo.env") | dict(os.environ)
