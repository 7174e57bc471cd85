"""Which code a run was done with."""

import subprocess
from functools import cache

from django.conf import settings


@cache
def code_version() -> str:
    """The commit of this checkout, marked where files differ from it; without a checkout what
    FABULA_CODE_VERSION says."""
    if settings.CODE_VERSION or not (settings.BASE_DIR / ".git").exists():
        return str(settings.CODE_VERSION)
    commit = _git("rev-parse", "HEAD")
    return f"{commit}+changes" if _git("status", "--porcelain", "-uno") else commit


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
