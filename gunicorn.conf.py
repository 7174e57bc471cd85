"""Read by gunicorn by itself: its own lines in the log look like the site's, and the counts of its
processes are added up."""

import gc
import importlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from config.logs import logging_settings  # noqa: E402
from config.metrics.folder import VARIABLE, leave_folder, make_folder  # noqa: E402

_settings = logging_settings(format=os.environ.get("FABULA_LOG_FORMAT") or "text", level="INFO")
logconfig_dict = _settings | {
    "loggers": {
        "gunicorn.error": {"level": "INFO", "handlers": ["console"], "propagate": False},
        # Its lines hold addresses with their queries: the site logs requests itself.
        "gunicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
    }
}


def on_starting(server: Any) -> None:
    """Before any process has imported what counts."""
    os.environ[VARIABLE] = str(make_folder())


def when_ready(server: Any) -> None:
    """Load the site once for all processes: each, and one that takes a dead one's place, is a copy.

    Callers wait in the queue of the listening sockets. To run other code, start gunicorn anew: on
    SIGHUP its processes are copies of what was loaded here.
    """
    importlib.import_module("config.wsgi")
    leave_folder()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    from config.metrics.steps import count_this_process

    count_this_process()


def child_exit(server: Any, worker: Any) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:
    shutil.rmtree(os.environ[VARIABLE])
