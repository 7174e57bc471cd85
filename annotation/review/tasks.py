"""What review does by the clock."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from annotation.models import ReviewPlan
from annotation.review import queue
from annotation.review.drawing import top_up_samples

# What sends the tasks below to the broker.
import_module(settings.TASK_APPLICATION)


@shared_task(name="annotation.give_back_lapsed")
def give_back_lapsed() -> None:
    queue.give_back_lapsed()


@shared_task(name="annotation.top_up_all_samples")
def top_up_all_samples() -> None:
    for plan in ReviewPlan.objects.order_by("pk"):
        top_up_samples(plan=plan)
