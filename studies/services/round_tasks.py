"""The tasks and slots of a round."""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from studies.models import Bar, Round, Slot, Story, Task
from studies.task_types import TaskType


@dataclass(frozen=True)
class NewTask:
    """`barred`: the participants who never get it, as they wrote what it shows."""

    payload: dict[str, Any]
    story: Story | None = None
    barred: Collection[int] = ()


def tasks_of_stories(task_type: TaskType, stories: Sequence[Story]) -> list[NewTask]:
    return [NewTask(task_type.item(story), story) for story in stories]


def add_tasks(round: Round, tasks: Sequence[NewTask], *, first_position: int) -> list[Task]:
    draw = random.Random(f"{round.seed}:{first_position}")
    made = Task.objects.bulk_create(
        (
            Task(
                round=round,
                story=task.story,
                position=position,
                payload=task.payload,
                overlap=round.overlap,
                tie_break=draw.getrandbits(31),
            )
            for position, task in enumerate(tasks, first_position)
        ),
        batch_size=2000,
    )
    Bar.objects.bulk_create(_bars(made, tasks), batch_size=5000)
    add_slots(round, len(tasks) * round.overlap)
    return made


def add_slots(round: Round, count: int) -> None:
    """All at once in the database: somebody waits, and slots differ in their key alone."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {Slot._meta.db_table} (round_id, key, hit_id, shown, spent) "
            "SELECT %s, gen_random_uuid(), '', true, false FROM generate_series(1, %s)",
            [round.pk, count],
        )


def _bars(made: Sequence[Task], tasks: Sequence[NewTask]) -> Iterator[Bar]:
    for task, new in zip(made, tasks, strict=True):
        yield from (Bar(task=task, participant_id=one) for one in sorted(set(new.barred)))
