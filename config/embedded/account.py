"""The account that the servers run under. PostgreSQL refuses to run as root."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXISTING, MADE, LAST_RESORT = "postgres", "fabula", "nobody"
# Enters, reads and writes a folder: "sh -c ENTER sh FOLDER".
ENTER = 'cd -- "$1" && test -r . && test -w .'


@dataclass(frozen=True)
class Account:
    """An account of this machine; `switch` is false when it is the one that we run as."""

    name: str
    uid: int
    gid: int
    switch: bool

    def popen_options(self) -> dict[str, Any]:
        """Return the arguments that make subprocess start a program under this account."""
        options: dict[str, Any] = {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C"}}
        if self.switch:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def owns(self, path: Path) -> None:
        """Make this account the owner of `path`, which is ours and private."""
        if self.switch:
            os.chown(path, self.uid, self.gid)
        path.chmod(0o700 if path.is_dir() else 0o600)

    def can_use(self, folder: Path) -> bool:
        """Tell whether this account can read and write in `folder`: a parent may bar its way."""
        return self.can_run("/bin/sh", "-c", ENTER, "sh", str(folder))

    def can_run(self, *command: str) -> bool:
        try:
            done = subprocess.run(command, capture_output=True, **self.popen_options())
        except (PermissionError, FileNotFoundError):
            return False
        return done.returncode == 0


def of_folder(folder: Path) -> Account | None:
    """Return the account that owns the servers' folder already, unless that is root."""
    if not folder.exists():
        return None
    owner = folder.stat()
    if owner.st_uid == 0:
        return None
    try:
        name = pwd.getpwuid(owner.st_uid).pw_name
    except KeyError:
        name = str(owner.st_uid)
    return Account(name, owner.st_uid, owner.st_gid, switch=os.geteuid() == 0)


def choose() -> Account:
    """Return our own account, or an unprivileged one when we are root."""
    if os.geteuid() != 0:
        return Account(str(os.geteuid()), os.geteuid(), os.getegid(), switch=False)
    for name in (EXISTING, MADE):
        if found := _named(name):
            return found
    _make(MADE)
    made = _named(MADE) or _named(LAST_RESORT)
    return made or Account("65534", 65534, 65534, switch=True)


def _named(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name, entry.pw_uid, entry.pw_gid, switch=True) if entry.pw_uid else None


def _make(name: str) -> None:
    """Create a system account without a home or a shell, where the machine has the tool."""
    useradd = shutil.which("useradd", path=f"{os.defpath}:/usr/sbin:/sbin")
    if useradd:
        shell = shutil.which("nologin", path="/usr/sbin:/sbin:/bin") or "/bin/false"
        command = [useradd, "--system", "--user-group", "--no-create-home", "--shell", shell, name]
        subprocess.run(command, capture_output=True)
