"""The command lines of the site's processes. The tests start the same ones."""

import sys

# Django's checks, which load every page, were made before: by what prepares a site.
CELERY = [sys.executable, "-m", "celery", "--app", "config", "--quiet", "--skip-checks"]
WEB, WORKER, RUNS, BEAT = "web", "worker", "runs", "beat"


def web_command(addresses: list[str], *, processes: int = 2, threads: int = 8) -> list[str]:
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--no-control-socket"]
    command += ["--workers", str(processes), "--threads", str(threads)]
    command += ["--timeout", "60", "--graceful-timeout", "5"]
    for address in addresses:
        command += ["--bind", address]
    return command


def worker_command(*, queue: str = "default", concurrency: int = 2) -> list[str]:
    return [
        *(*CELERY, "worker"),
        *("--queues", queue),
        *("--concurrency", str(concurrency), "--loglevel", "INFO"),
        *("--without-gossip", "--without-mingle"),
    ]


def runs_command() -> list[str]:
    """The worker of model runs, one at a time; beside the other one it needs a name of its own."""
    return [*worker_command(queue="gpu,cpu", concurrency=1), "--hostname", "runs@%h"]


def beat_command() -> list[str]:
    return [*CELERY, "beat", "--loglevel", "INFO"]


def manage_command(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]
