"""The few lines that tell a newcomer where everything is."""

from dataclasses import dataclass
from pathlib import Path

from config.demo.terminal import BOLD, DIM, GREEN, Terminal


@dataclass(frozen=True)
class Seeded:
    """What `manage.py seed_demo --format json` prints."""

    admin_username: str
    admin_password: str
    invitation_url: str


def show(terminal: Terminal, *, port: int, seeded: Seeded, var: Path) -> None:
    """Each address has a line of its own: it fits 80 columns and can be copied whole."""
    mark, name = terminal.paint(GREEN, "●"), terminal.paint(BOLD, "Fabula is running")
    password = terminal.paint(BOLD, seeded.admin_password)
    lines = [
        "",
        f"  {mark} {name} at http://localhost:{port}/",
        "",
        "    Be a worker: open this invitation",
        f"    {seeded.invitation_url}",
        "",
        f"    Be a researcher: sign in as {seeded.admin_username}, password {password}",
        f"    http://127.0.0.1:{port}/admin/",
        "",
        terminal.paint(DIM, f"  Data and logs stay in {shown(var)}. Ctrl-C stops everything."),
        "",
    ]
    for line in lines:
        terminal.say(line)


def shown(folder: Path) -> str:
    """As one would type it from here, where that is shorter."""
    here = Path.cwd()
    return f"{folder.relative_to(here)}/" if folder.is_relative_to(here) else str(folder)
