"""Which files the services keep in the data folder, and who reads them."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent.parent


def data_folder() -> Path:
    """Return the folder named by FABULA_VAR, as settings.VAR_DIR does."""
    return Path(os.environ.get("FABULA_VAR", "").strip() or BASE_DIR / "var").resolve()


@dataclass(frozen=True)
class Layout:
    """The bookkeeping under one data folder. The servers' own data lie elsewhere: see Home."""

    var: Path

    @property
    def users_lock(self) -> Path:
        """Held shared by every process that uses the services; the owner waits to have it alone."""
        return self.var / "users.lock"

    @property
    def books(self) -> Path:
        return self.var / "owner"

    @property
    def owner_lock(self) -> Path:
        return self.books / "owner.lock"

    @property
    def state(self) -> Path:
        return self.books / "state.json"

    @property
    def secrets(self) -> Path:
        return self.books / "secrets.json"

    @property
    def elsewhere(self) -> Path:
        """Names the servers' folder when it could not be inside the data folder."""
        return self.books / "servers-are-in"

    def log(self, name: str) -> Path:
        return self.books / f"{name}.log"

    def server_lock(self, name: str) -> Path:
        """Held by a server and its children for as long as one of them lives."""
        return self.books / f"{name}.lock"

    def wanted(self, name: str) -> Path:
        """Exists when some user wants this server."""
        return self.books / f"{name}.wanted"

    def make(self) -> None:
        self.books.mkdir(parents=True, exist_ok=True)
        self.books.chmod(0o700)

    def digest(self) -> str:
        """Return a short name for this data folder, fit for paths with a length limit."""
        return hashlib.sha256(str(self.var).encode()).hexdigest()[:12]
