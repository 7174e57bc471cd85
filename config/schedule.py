"""What is done by the clock."""

from datetime import timedelta
from typing import Any


def beat_schedule(*, recover_runs_seconds: float) -> dict[str, dict[str, Any]]:
    every = {
        "studies.recover_jobs": timedelta(seconds=15),
        "studies.settle_assignments": timedelta(seconds=15),
        "studies.look_for_answers": timedelta(hours=1),
        "annotation.give_back_lapsed": timedelta(minutes=1),
        "annotation.top_up_all_samples": timedelta(minutes=1),
        "modeling.recover_runs": timedelta(seconds=recover_runs_seconds),
        "marketplace.keep_time": timedelta(seconds=5),
        "marketplace.deliver_notifications": timedelta(seconds=5),
    }
    return {task: {"task": task, "schedule": delay} for task, delay in every.items()}
