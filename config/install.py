"""Make .venv and install a requirements file into it, when that is needed.

Run by the machine's own Python, before anything is installed: standard library alone, and nothing
that an older Python could not read, so that it can say that it is too old.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

BASE_DIR = Path(__file__).resolve().parent.parent
VENV = BASE_DIR / ".venv"
PYTHON = VENV / "bin" / "python"
NEEDED = (3, 11)
REPORT_SECONDS = 15


class InstallError(Exception):
    """Nothing could be installed; the message says why and what to do."""


def check_python() -> None:
    found = sys.version_info[:2]
    if found < NEEDED:
        raise InstallError(
            "Fabula needs Python 3.11 or newer, and {} is Python {}.{}. Install a newer one, or "
            "name one that you have: make demo PYTHON=python3.12".format(sys.executable, *found)
        )
    if any(importlib.util.find_spec(name) is None for name in ("venv", "ensurepip")):
        raise InstallError(
            "This Python cannot make virtual environments: a part of it is a package of its own. "
            "On Debian or Ubuntu run: sudo apt install python{}.{}-venv".format(*found)
        )


def fingerprint(requirements: Path) -> str:
    """Return what an installation depends on: the files, the Python, the folder."""
    digest = hashlib.sha256()
    for part in (sys.version, str(BASE_DIR), *map(Path.read_text, _with_included(requirements))):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _with_included(requirements: Path) -> list[Path]:
    lines = requirements.read_text().splitlines()
    names = [line.split(None, 1)[1] for line in lines if line.startswith("-r ")]
    return [requirements, *(requirements.parent / name for name in names)]


def usable() -> bool:
    """Tell whether .venv is whole: it may be what an interrupted installation left."""
    if not PYTHON.exists():
        return False
    test = "import pip, sys; sys.exit(sys.version_info[:2] < (3, 11))"
    return subprocess.run([PYTHON, "-c", test], capture_output=True).returncode == 0


def make_venv(*, held: int) -> None:
    if VENV.exists():
        print("  The folder .venv is not complete; making it anew", flush=True)
    _check_space()
    VENV.mkdir(exist_ok=True)
    run([sys.executable, "-m", "venv", "--clear", str(VENV)], what="making .venv", held=held)


def install(requirements: Path, *, held: int) -> None:
    """Bring .venv up to date with a requirements file; nothing to do is done at once."""
    stamp = VENV / (requirements.stem + ".installed")
    wanted = fingerprint(requirements)
    if stamp.exists() and stamp.read_text() == wanted and PYTHON.exists():
        return
    print(
        f"  Installing what {requirements.name} lists into .venv (some minutes the first time)",
        flush=True,
    )
    if not usable():
        make_venv(held=held)
    _check_space()
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    # Modules are compiled when they are first imported; most of them never are.
    pip += ["--no-compile", "--requirement", str(requirements)]
    run(pip, what="installing the packages", held=held)
    stamp.write_text(wanted)


def run(command: list[str], *, what: str, held: int) -> None:
    """Run a step with its output in a log; say now and then that it is still at work.

    It inherits the lock `held`, so that what a killed installation left is waited for.
    """
    log = VENV / "install.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=str(BASE_DIR),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[held],
        )
        try:
            wait_for(process)
        finally:
            process.terminate()
    if process.wait():
        kept = log.read_text(errors="replace") if log.exists() else ""
        raise InstallError(explain(kept.splitlines()[-30:], what=what, log=log))


def wait_for(process: subprocess.Popen[bytes]) -> None:
    started = time.monotonic()
    while True:
        try:
            process.wait(REPORT_SECONDS)
        except subprocess.TimeoutExpired:
            seconds = int(time.monotonic() - started)
            # On a terminal one line counts on; in a log each report is a line.
            start, end = ("\r", "") if sys.stdout.isatty() else ("", "\n")
            print(f"{start}    still at it after {seconds} s", end=end, flush=True)
        else:
            if sys.stdout.isatty():
                print("\r\033[K", end="", flush=True)
            return


def explain(tail: list[str], *, what: str, log: Path) -> str:
    """Turn the end of pip's log into a sentence."""
    text = "\n".join(tail)
    if "No space left on device" in text:
        return f"There is no space left on the disk that holds {BASE_DIR}."
    unreachable = ("Failed to establish", "Temporary failure in name", "NewConnectionError")
    if any(sign in text for sign in unreachable):
        return "The package index cannot be reached. Check the network connection and try again."
    telling = [line for line in tail if "ERROR" in line or "rror:" in line] or tail
    last = telling[0].strip().rstrip(".") if telling else "it said nothing"
    return f"{what.capitalize()} failed ({last}). The log is {log}."


def _check_space() -> None:
    free = shutil.disk_usage(str(BASE_DIR)).free
    if free < 600 * 1024 * 1024 and not PYTHON.exists():
        raise InstallError(
            f"Only {free // 2**20} MB are free on the disk that holds {BASE_DIR}, and Fabula needs "
            "about 600 MB. Free some space and try again."
        )


def one_at_a_time() -> IO[str]:
    """Return a lock on this folder's installation, held until its last holder has closed it."""
    held = (BASE_DIR / "requirements.txt").open()
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("  Another installation is at work in this folder; waiting for it", flush=True)
        fcntl.flock(held, fcntl.LOCK_EX)
    return held


def main() -> int:
    for kind in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, signal.default_int_handler)
    try:
        check_python()
        with one_at_a_time() as lock:
            install(BASE_DIR / sys.argv[1], held=lock.fileno())
    except InstallError as error:
        sentence = str(error)
    except KeyboardInterrupt:
        sentence = "Stopped before everything was installed; the next start goes on."
    except OSError as error:
        sentence = f"{error.filename or BASE_DIR}: {os.strerror(error.errno or 0)}."
    else:
        return 0
    print("  Fabula cannot be installed: " + sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
