"""Celery tasks of runs. The rows hold the truth, the broker only wakes a worker of the run's
queue."""

import logging
from importlib import import_module
from typing import Any

from celery import shared_task
from celery.signals import heartbeat_sent
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from modeling.models import Run
from modeling.runs import presence, recovering, supervising

# What sends the tasks below to the broker.
import_module(settings.TASK_APPLICATION)

logger = logging.getLogger(__name__)


def send_run(run_id: int) -> None:
    """Once its row is committed. A broker that is away loses nothing: beat's `recover_runs` finds
    the row."""

    def send() -> None:
        queue = Run.objects.values_list("queue", flat=True).get(pk=run_id)
        try:
            supervise_run.apply_async(args=(run_id,), queue=queue)
        except OperationalError as error:
            logger.warning("run %s waits for the broker: %s", run_id, error)
        else:
            Run.objects.filter(pk=run_id).update(sent_at=Now())

    transaction.on_commit(send)


@shared_task(name="modeling.supervise_run")
def supervise_run(run_id: int) -> None:
    """One attempt, in a process of its own."""
    if supervising.supervise(run_id):
        send_run(run_id)


@shared_task(name="modeling.recover_runs")
def recover_runs() -> None:
    for run_id in recovering.recover_runs():
        send_run(run_id)


@heartbeat_sent.connect
def say_which_queues(sender: Any, **_: Any) -> None:
    """The worker's main process, every few seconds."""
    presence.note_worker(list(sender.eventer.app.amqp.queues.consume_from))
