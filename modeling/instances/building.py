"""The instances of a task, in the variant that is asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from modeling.instances.instance import Instance
from modeling.instances.state_inference import INPUTS, PARTITIONS
from modeling.instances.tuples import Tuple
from modeling.tasks.registry import TASKS


class BadVariant(ValueError):
    """There is no such variant; the text says which there are."""


@dataclass(frozen=True)
class Variant:
    """A task, and of state inference what its instances show and which stories they are about.
    Raises BadVariant."""

    task: str
    input: str = "marked"
    partition: str = "both"

    def __post_init__(self) -> None:
        _known("task", self.task, tuple(TASKS))
        _known("input", self.input, INPUTS)
        _known("partition", self.partition, PARTITIONS)
        if not TASKS[self.task].has_variants and (self.input, self.partition) != ("marked", "both"):
            raise BadVariant(f"{self.task} has no other inputs or partitions.")

    def instances(self, one: Tuple) -> list[Instance]:
        task = TASKS[self.task]
        if task.has_variants:
            return task.instances(one, input=self.input, partition=self.partition)
        return task.instances(one)


def built(
    rows: Iterable[tuple[str, Tuple]], variant: Variant
) -> Iterator[tuple[str, Tuple, Instance]]:
    """Of rows with their splits."""
    for split, one in rows:
        for instance in variant.instances(one):
            yield split, one, instance


def as_row(split: str, one: Tuple, instance: Instance) -> dict[str, Any]:
    """A line of a file of instances; `split` is empty where the source has none."""
    return {
        "key": instance.key,
        "tuple": instance.tuple_key,
        "story": one.story_key,
        **({"split": split} if split else {}),
        "part": instance.part,
        "text": instance.text,
        "target": instance.target,
        "fields": instance.fields,
    }


def _known(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadVariant(f"There is no {what} “{value}”. Known: {', '.join(known)}.")
