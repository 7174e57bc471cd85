"""The item of a task as one worker is shown it."""

import random
from typing import Any

from studies import task_types
from studies.models import Assignment


def item_shown(assignment: Assignment) -> dict[str, Any]:
    """Some task types arrange it anew for each worker, by the round's seed."""
    task_type = task_types.get(assignment.task.round.task_type)
    item: dict[str, Any] = assignment.task.payload
    if not task_type.arranges:
        return item
    return task_type.arranged(item, random.Random(seed_of(assignment)))


def seed_of(assignment: Assignment) -> str:
    """The same whenever this worker opens this task."""
    task = assignment.task
    return f"{task.round.seed}:{task.position}:{assignment.participant_id}"
