"""Responses made elsewhere come in as a past round: all of a file, or nothing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Study
from studies.services.past_rounds import PastRounds
from studies.services.response_reading import AUTO, ResponseReading, ResponseRow
from studies.story_files.accepting import Gate
from studies.story_files.formats import Draft
from studies.story_files.results import Problem, problem_lines

Progress = Callable[[int, int | None, str], None]
T = TypeVar("T")
BATCH = 2_000


@dataclass(frozen=True)
class ResponseImport:
    """What an import did. With problems it did nothing."""

    file: str
    format: str
    rows: int
    added: int
    unchanged: int
    stories_added: int
    rounds: tuple[int, ...]
    participants_left_out: int
    problems: tuple[Problem, ...]
    problem_count: int

    @property
    def ok(self) -> bool:
        return self.problem_count == 0

    def problem_lines(self) -> list[str]:
        return problem_lines(self.file, self.problems, self.problem_count)

    def as_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "file": self.file,
            "format": self.format,
            "rows": self.rows,
            "added": self.added,
            "unchanged": self.unchanged,
            "stories_added": self.stories_added,
            "rounds": list(self.rounds),
            "participants_left_out": self.participants_left_out,
            "problems": self.problem_lines(),
            "problem_count": self.problem_count,
        }


def import_responses(
    *,
    study: Study,
    source: BinaryIO,
    name: str,
    fmt: str = AUTO,
    progress: Progress | None = None,
) -> ResponseImport:
    """Add the responses of a file as those of a past round, in the file's order.

    Stories that the study does not have come in with them. Rows that are there already, under the
    same AssignmentId with the same content, are left alone. The file is read twice: once to find
    what is wrong, once to store it.
    """
    reading = ResponseReading(source, name=name, fmt=fmt)
    tell = progress or _unwatched
    total, named, gate = _check(reading, tell)
    if reading.findings.problem_count:
        return _outcome(reading, total)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        rounds = PastRounds(study, source=name, stories=gate.seen)
        for batch in _batches(reading, BATCH):
            rounds.add(batch, reading.findings)
            tell(batch[-1].row, None, _("Storing responses"))
        rounds.finish()
        if reading.findings.problem_count:
            transaction.set_rollback(True)
            return _outcome(reading, total)
    return _outcome(reading, total, rounds=rounds, participants_left_out=named)


def _unwatched(done: int, total: int | None, message: str) -> None:
    pass


def _check(reading: ResponseReading, tell: Progress) -> tuple[int, int, Gate]:
    """Read to the end: how many rows, how many that name a participant, the stories by id."""
    labels: dict[str, int] = {}
    named = 0
    gate: Gate | None = None
    for response in reading:
        gate = gate or Gate(reading.findings)
        label = response.content.label
        if label in labels:
            reading.findings.problem(
                "label_twice",
                _("Assignment %(label)s is in row %(first)d already.")
                % {"label": label, "first": labels[label]},
                row=response.row,
            )
        labels.setdefault(label, response.row)
        named += bool(response.envelope.participant)
        if draft := story_draft(response.content.item):
            gate.accept(draft, response.row, response.row)
        if len(labels) % BATCH == 0:
            tell(len(labels), None, _("Reading %(file)s") % {"file": reading.name})
    return reading.rows, named, gate or Gate(reading.findings)


def story_draft(item: dict[str, Any]) -> Draft | None:
    """The story an item shows; None for a task type whose items show none."""
    if "story_id" not in item or "sentences" not in item:
        return None
    sentences = tuple(item["sentences"])
    return Draft(
        external_id=item["story_id"],
        title=item.get("title", ""),
        sentences=sentences,
        roles=("",) * len(sentences),
        columns=("story_id", "title", *(f"line{n}" for n in range(1, len(sentences) + 1))),
        counted=len(sentences),
        expected=len(sentences),
    )


def _batches(rows: Iterable[ResponseRow], size: int) -> Iterator[list[ResponseRow]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


def _outcome(
    reading: ResponseReading,
    rows: int,
    *,
    rounds: PastRounds | None = None,
    participants_left_out: int = 0,
) -> ResponseImport:
    return ResponseImport(
        file=reading.name,
        format=reading.fmt,
        rows=rows,
        added=rounds.added if rounds else 0,
        unchanged=rounds.unchanged if rounds else 0,
        stories_added=rounds.stories_added if rounds else 0,
        rounds=tuple(round.number for round in rounds.rounds.values()) if rounds else (),
        participants_left_out=participants_left_out,
        problems=tuple(reading.findings.problems),
        problem_count=reading.findings.problem_count,
    )
