"""The tasks there are."""

from modeling.tasks import state_change, state_inference, story_revision
from modeling.tasks.task import ModelTask

TASKS: dict[str, ModelTask] = {
    task.slug: task for task in (state_inference.TASK, story_revision.TASK, state_change.TASK)
}
