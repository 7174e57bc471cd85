"""The folders that the servers' account works in: one for data, a short one for sockets."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from config.embedded import account as accounts
from config.embedded.account import Account
from config.embedded.errors import ServiceError
from config.embedded.layout import Layout

# Searched when the account cannot reach the data folder (as root, below a private folder).
REACHABLE_BASES = (Path("/var/lib/fabula"), Path("/var/tmp"))
# Lower case: the address of a socket travels as the host of a URL, and hosts are folded.
SOCKET_BASES = (Path("/tmp"), Path("/var/tmp"))


@dataclass(frozen=True)
class Home:
    """Where the servers live, under which account, and a sentence when that needs saying."""

    account: Account
    folder: Path
    sockets: Path
    notice: str = ""


def find_home(layout: Layout) -> Home:
    """Return the servers' home, making it the first time. No parent's mode is ever changed."""
    if layout.elsewhere.exists():
        folder = Path(layout.elsewhere.read_text().strip())
        account = accounts.of_folder(folder) or accounts.choose()
        return Home(account, _open(folder, account), _sockets(layout, account))
    folder = layout.var / "servers"
    old = folder.exists()
    account = accounts.of_folder(folder) or accounts.choose()
    _make_private(folder, account)
    if account.can_use(folder):
        return Home(account, folder, _sockets(layout, account))
    if old and any(folder.iterdir()):
        raise _unreachable(folder, account)
    folder.rmdir()
    folder = _reachable(layout, account)
    layout.elsewhere.write_text(f"{folder}\n")
    notice = (
        f"The servers keep their data in {folder}, because the account {account.name}, under "
        f"which they run, cannot reach {layout.var}."
    )
    return Home(account, folder, _sockets(layout, account), notice)


def _open(folder: Path, account: Account) -> Path:
    _make_private(folder, account)
    if not account.can_use(folder):
        raise _unreachable(folder, account)
    return folder


def _unreachable(folder: Path, account: Account) -> ServiceError:
    return ServiceError(
        f"The account {account.name}, under which the servers run, can no longer reach their data "
        f"in {folder}. Let it enter the folders above, or set FABULA_VAR to another folder."
    )


def _make_private(folder: Path, account: Account) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    account.owns(folder)


def _reachable(layout: Layout, account: Account) -> Path:
    for base in REACHABLE_BASES:
        if not base.exists() and os.access(base.parent, os.W_OK):
            base.mkdir(mode=0o755)
        folder = base / f"fabula-{layout.digest()}"
        if base.is_dir() and _private(folder, account) and account.can_use(folder):
            return folder
    raise ServiceError(
        f"The servers cannot run as root, and the account {account.name} can reach neither "
        f"{layout.var} nor {' nor '.join(str(base) for base in REACHABLE_BASES)}. Set FABULA_VAR "
        "to a folder below one that every account may enter."
    )


def _sockets(layout: Layout, account: Account) -> Path:
    """Return a short private folder: the path of a socket may have about 100 bytes."""
    name = f"fabula-{account.uid}-{layout.digest()}"
    for base in SOCKET_BASES:
        for suffix in ("", "-2", "-3", "-4"):
            folder = base / f"{name}{suffix}"
            if base.is_dir() and _private(folder, account):
                return folder
    raise ServiceError("No folder for the servers' sockets can be made in /tmp or /var/tmp.")


def _private(folder: Path, account: Account) -> bool:
    """Make `folder` for `account` alone; false when somebody else's file has that name."""
    try:
        folder.mkdir(mode=0o700)
        account.owns(folder)
    except FileExistsError:
        pass
    except OSError:
        return False
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid
    return mine and not found.st_mode & 0o077
