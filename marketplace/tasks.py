"""What the marketplace does in the background. Both tasks also run by the clock."""

import logging
from importlib import import_module

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from marketplace.models import Notification
from marketplace.services import delivery, timekeeping

# What sends the tasks below to the broker.
import_module(settings.TASK_APPLICATION)

logger = logging.getLogger(__name__)


@shared_task(name="marketplace.keep_time")
def keep_time() -> None:
    if timekeeping.keep_time(at=timezone.now()):
        deliver_soon()


@shared_task(name="marketplace.deliver_notifications")
def deliver_notifications() -> None:
    delivery.deliver_due()


def deliver_soon() -> None:
    """After the commit, have new notifications delivered without waiting for the clock."""
    transaction.on_commit(_enqueue_delivery)


def _enqueue_delivery() -> None:
    if not Notification.objects.due(timezone.now()).exists():
        return
    try:
        deliver_notifications.apply_async(retry=False)
    except OperationalError:
        # The work is done and the rows are written: the clock delivers them within seconds.
        logger.warning("The broker cannot be reached; notifications wait for the clock")
