"""The rows of a release as they are written to its files, batch by batch in constant memory."""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import orjson
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Release
from annotation.releases.manifest import BATCH, SPLITS, Manifest, sources
from annotation.tasks.state_annotation.task_type import StateAnnotation
from studies import task_types
from studies.models import Contribution, ContributionStatus, ResponseState, Study
from studies.services.response_layout import PUBLISHED, OpaqueLabels, dump_own, dump_published

Progress = Callable[[int, int | None, str], None]
# Task types whose contributions make a dataset.
TASK_TYPES = (StateAnnotation.slug,)


class ReleasedRow(NamedTuple):
    """`line` is the row as JSON, `split` empty where it is withheld, `worker` a pseudonym."""

    split: str
    label: str
    worker: str
    round: int
    item: dict[str, Any]
    answers: dict[str, Any]
    fields: dict[str, Any]
    line: bytes


def accepted_contributions(study: Study) -> QuerySet[Contribution]:
    """What a release is made of: accepted, confirmed, and of no pilot."""
    rounds = list(study.rounds.filter(pilot=False).values_list("pk", flat=True))
    return Contribution.objects.filter(
        status=ContributionStatus.ACCEPTED,
        response__state=ResponseState.CONFIRMED,
        response__task_type__in=TASK_TYPES,
        response__assignment__task__round__in=rounds,
    )


def manifest_of(release: Release) -> Manifest:
    manifest = Manifest()
    rows = release.rows.order_by("position").values_list("contribution_id", "split")
    for contribution, split in rows.iterator():
        manifest.add(contribution, split)
    return manifest


def read_rows(
    *, manifest: Manifest, salt: str, layout: str, progress: Progress | None = None
) -> Iterator[ReleasedRow]:
    """Holds no lock and no snapshot between batches. Raises RowError where one does not fit."""
    labels = OpaqueLabels(salt)
    dump = dump_published if layout == PUBLISHED else dump_own
    message = _("Reading the rows")
    for read, (source, code) in enumerate(zip(sources(manifest), manifest.codes, strict=True), 1):
        past = source.round.past
        label = source.marketplace_id if past else labels.of(source.assignment)
        item, answers = orjson.loads(source.item), orjson.loads(source.content)
        row = task_types.get(source.task_type).export_row(
            layout, label=label, item=item, answers=answers
        )
        worker = pseudonym_of(source.participant, salt)
        yield ReleasedRow(
            SPLITS[code], label, worker, source.round.number, item, answers, row, dump(row)
        )
        if progress and read % BATCH == 0:
            progress(read, len(manifest), message)
    if progress:
        progress(len(manifest), len(manifest), message)


def pseudonym_of(participant: int | None, salt: str) -> str:
    """The worker's name in one release; empty where the worker is not known."""
    if participant is None:
        return ""
    mac = hmac.new(salt.encode(), b"worker:%d" % participant, hashlib.sha256)
    return f"w-{mac.hexdigest()[:10]}"
