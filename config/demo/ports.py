"""The addresses that the demo listens on."""

import errno
import os
import socket
import time

from config.demo.errors import DemoError

DEFAULT_PORT = 8000
# After a kill the earlier site's processes need a moment to be gone.
PATIENCE_SECONDS = 3.0


def chosen_port() -> int:
    text = os.environ.get("FABULA_PORT") or str(DEFAULT_PORT)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise DemoError(f"FABULA_PORT is {text!r}, which is not a port. Choose 1024 to 65535.")
    return int(text)


def addresses(port: int) -> list[str]:
    """Return where to listen, so that `localhost` is ours whichever address it stands for."""
    wanted = [f"127.0.0.1:{port}"]
    if _can_listen(socket.AF_INET6, "::1", 0) is None:
        wanted.append(f"[::1]:{port}")
    return wanted


def check_free(port: int) -> None:
    """Raise DemoError when another program listens on the port."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (reason := _trouble(port)) is not None:
        if time.monotonic() > deadline or reason == errno.EACCES:
            raise _refusal(port, reason)
        time.sleep(0.2)


def _trouble(port: int) -> int | None:
    found = [_can_listen(socket.AF_INET, "127.0.0.1", port)]
    if _can_listen(socket.AF_INET6, "::1", 0) is None:
        found.append(_can_listen(socket.AF_INET6, "::1", port))
    return next((reason for reason in found if reason is not None), None)


def _can_listen(family: socket.AddressFamily, host: str, port: int) -> int | None:
    """Return None, or the system's error number."""
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as error:
        return error.errno or errno.EIO
    return None


def _refusal(port: int, reason: int) -> DemoError:
    if reason == errno.EADDRINUSE:
        return DemoError(
            f"Port {port} is used by another program. Stop that one, or choose another port: "
            f"FABULA_PORT={port + 10 if port < 65000 else DEFAULT_PORT} make demo"
        )
    return DemoError(f"Port {port} cannot be used here: {os.strerror(reason)}.")
