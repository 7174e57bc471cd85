"""The Celery application. Queue `default` carries jobs; queue `gpu` carries model runs."""

import logging
import logging.config
import os
import time
from pathlib import Path
from typing import Any

from celery import Celery, Task
from celery.beat import PersistentScheduler
from celery.exceptions import OperationalError as BrokerAway
from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun
from django.conf import settings

from studies import log_context

__all__ = ["BrokerAway", "WatchedScheduler", "app"]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("fabula")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["annotation.review", "modeling.runs"])

REQUEST_HEADER = "fabula_request_id"
logger = logging.getLogger("fabula.task")


@before_task_publish.connect
def hand_on_request_id(headers: dict[str, Any], **_: Any) -> None:
    if request_id := log_context.request_id.get():
        headers[REQUEST_HEADER] = request_id


@task_prerun.connect
def take_request_id(task: Task[..., Any], **_: Any) -> None:
    """A task that runs inside the request itself (in tests) keeps the request's id."""
    task.request.update(fabula_began=time.perf_counter())
    if not task.request.is_eager:
        log_context.request_id.set(task.request.get(REQUEST_HEADER) or "")


@task_postrun.connect
def say_how_it_went(task: Task[..., Any], state: str | None = None, **_: Any) -> None:
    duration = round((time.perf_counter() - task.request.get("fabula_began", 0)) * 1000, 1)
    facts = {"task": task.name, "status": state, "duration_ms": duration}
    logger.info("%(task)s %(status)s", facts, extra=facts)


@setup_logging.connect
def use_our_lines(loglevel: int, **_: Any) -> None:
    """In the place of Celery's own handlers, at the level of its command line."""
    logging.config.dictConfig(settings.LOGGING)
    logging.getLogger().setLevel(loglevel)


class WatchedScheduler(PersistentScheduler):
    """Some kinds of file that Python keeps the schedule in show no time at which it was written."""

    def sync(self) -> None:
        super().sync()
        Path(f"{settings.CELERY_BEAT_SCHEDULE_FILENAME}-written").touch()
