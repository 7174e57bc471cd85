"""Which rows a release holds, and what the database has of them."""

from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import F, Model, TextField
from django.db.models.functions import Cast

from annotation.models import Split
from database.any_of import AnyOf
from studies.models import Assignment, Contribution, Response, Round, Task

BATCH = 2_000
SPLITS = ("", *Split.values)


@dataclass
class Manifest:
    """Which contributions a release holds, in order, and the split of each: 9 bytes a row."""

    contributions: "array[int]" = field(default_factory=lambda: array("q"))
    codes: "array[int]" = field(default_factory=lambda: array("B"))

    def add(self, contribution: int, split: str) -> None:
        self.contributions.append(contribution)
        self.codes.append(SPLITS.index(split))

    def __len__(self) -> int:
        return len(self.contributions)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return ((pk, SPLITS[code]) for pk, code in zip(self.contributions, self.codes, strict=True))


class Source(NamedTuple):
    """What is read of one row. JSON comes as text."""

    task_type: str
    content: str
    item: str
    assignment: int
    marketplace_id: str
    participant: int | None
    round: Round


def sources(manifest: Manifest) -> Iterator[Source]:
    """In the manifest's order. Each batch reads one table after the other by primary key: joined,
    they are read through where the server is wrong about how many rows they have."""
    rounds: dict[int, Round] = {}
    for start in range(0, len(manifest), BATCH):
        batch = manifest.contributions[start : start + BATCH].tolist()
        pieces = _by_key(Contribution, batch, "response_id", Cast("content", TextField()))
        responses = _by_key(Response, [one[0] for one in pieces.values()], *_OF_RESPONSE)
        assignments = _by_key(Assignment, [one[0] for one in responses.values()], *_OF_ASSIGNMENT)
        tasks = _by_key(
            Task,
            {one[0] for one in assignments.values()},
            *("round_id", Cast("payload", TextField())),
        )
        rounds |= Round.objects.in_bulk({one[0] for one in tasks.values()} - rounds.keys())
        for pk in batch:
            response, content = pieces[pk]
            assignment, task_type = responses[response]
            task, marketplace_id, participant = assignments[assignment]
            round, item = tasks[task]
            yield Source(
                *(task_type, content, item, assignment),
                *(marketplace_id, participant, rounds[round]),
            )


_OF_RESPONSE = ("assignment_id", "task_type")
_OF_ASSIGNMENT = ("task_id", "marketplace_id", "participant_id")


def _by_key(model: type[Model], keys: Collection[int], *columns: Any) -> dict[int, Any]:
    rows = model._default_manager.order_by().filter(AnyOf(F("pk"), keys))
    return {pk: rest for pk, *rest in rows.values_list("pk", *columns)}
