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
    study_url: str


def show(terminal: Terminal, *, port: int, seeded: Seeded, var: Path) -> None:
    site, worker_site = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
    rows = [
        ("Site", f"{worker_site}/"),
        ("Worker site", f"{worker_site}/worker/"),
        ("Invitation", seeded.invitation_url),
        ("Admin", f"{site}/admin/"),
        ("", f"{seeded.admin_username}  {terminal.paint(BOLD, seeded.admin_password)}"),
        ("Study", seeded.study_url),
    ]
    terminal.say()
    terminal.say(f"  {terminal.paint(GREEN, '●')} {terminal.paint(BOLD, 'Fabula is running')}")
    terminal.say()
    for label, value in rows:
        terminal.say(f"    {terminal.paint(DIM, f'{label:<13}')}{value}")
    terminal.say()
    terminal.say("  Open the invitation to work as a worker would; launch rounds in the admin.")
    terminal.say(f"  Data and logs are kept in {var}. Ctrl-C stops everything.")
    terminal.say()
