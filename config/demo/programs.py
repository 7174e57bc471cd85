"""The command lines of the site's processes. The tests start the same ones."""

import sys

WEB, WORKER, BEAT = "web", "worker", "beat"


def web_command(addresses: list[str], *, processes: int = 2, threads: int = 8) -> list[str]:
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--no-control-socket"]
    command += ["--workers", str(processes), "--threads", str(threads)]
    command += ["--timeout", "60", "--graceful-timeout", "5"]
    for address in addresses:
        command += ["--bind", address]
    return command


def worker_command(*, queue: str = "default", concurrency: int = 2) -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--app", "config", "--quiet", "worker"),
        *("--queues", queue),
        *("--concurrency", str(concurrency), "--loglevel", "INFO"),
        *("--without-gossip", "--without-mingle"),
    ]


def beat_command() -> list[str]:
    command = [sys.executable, "-m", "celery", "--app", "config", "--quiet", "beat"]
    return [*command, "--loglevel", "INFO"]


def manage_command(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]
