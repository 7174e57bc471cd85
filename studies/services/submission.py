"""Consent, drafts and responses: what a worker's own requests may change."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from database.prepared import prepared
from database.rows import insert, together, update
from studies import task_types
from studies.models import Assignment, AssignmentState, Contribution, Participant, Response, Round
from studies.services import recording
from studies.storable import storable
from studies.task_types import Caution

MAX_DRAFT_CHARACTERS = 100_000


class TooLate(Exception):
    """The reservation has ended; the text is kept as a draft."""


class TaskReturned(TooLate):
    """It ended because the worker gave the task back."""


class AlreadySubmitted(Exception):
    """There is a response already; the draft is not needed any more."""


class DraftTooLong(Exception):
    pass


class DraftUnreadable(Exception):
    """A field holds something else than text or a list of texts."""


@dataclass(frozen=True)
class SavedDraft:
    """When the draft that is now kept was saved, and whether another open page's gave way to it."""

    at: datetime
    over_another: bool = False


def give_consent(*, participant: Participant) -> None:
    """The worker agrees to the study's consent text as it stands now."""
    participant.consented_at = timezone.now()
    participant.consent_version = participant.study.consent_version
    participant.save(update_fields=["consented_at", "consent_version"])


def note_instructions_seen(*, assignment_id: int) -> None:
    """The worker has closed the instructions of this task type; they open by a key from now on."""
    with transaction.atomic():
        participant = Participant.objects.select_for_update(no_key=True).get(
            assignments=assignment_id
        )
        task_type = Round.objects.values_list("task_type", flat=True).get(
            tasks__assignments=assignment_id
        )
        if task_type not in participant.instructions_seen:
            participant.instructions_seen.append(task_type)
            participant.save(update_fields=["instructions_seen"])


def draft_fields(fields: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """Only names and text, within bounds. Raises DraftTooLong, DraftUnreadable."""
    kept: dict[str, str | list[str]] = {}
    for name, value in fields.items():
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in (name, *parts)):
            raise DraftUnreadable
        texts = [storable(part) for part in parts]
        kept[storable(name)] = texts if isinstance(value, list) else texts[0]
    length = sum(len(name) + len("".join(value)) for name, value in kept.items())
    if length > MAX_DRAFT_CHARACTERS or len(kept) > 500:
        raise DraftTooLong
    return kept


@transaction.atomic
def save_draft(
    *,
    assignment_id: int,
    fields: Mapping[str, Any],
    revision: int = 0,
    page: str = "",
    known_at: datetime | None = None,
    is_leaving: bool = False,
    evidence: Any = None,
) -> SavedDraft:
    """Keep what the worker has typed.

    `revision` grows with every save from one page, so an older save of it that arrives late changes
    nothing; of two pages the last to arrive counts, and is told when it replaces a draft that is
    newer than `known_at`, the newest that it knows of. The last save of a page that closes
    (`is_leaving`) is no other page's. A draft is kept after the time limit, too. `evidence` is what
    the page has counted meanwhile, in whatever shape it came.

    Raises AlreadySubmitted, DraftTooLong, DraftUnreadable.
    """
    (assignment,) = _lock(pk=assignment_id)
    if Response.objects.filter(assignment=assignment).exists():
        raise AlreadySubmitted
    if evidence is not None:
        recording.add_evidence(assignment=assignment, sent=evidence, revision=revision)
    kept, kept_at = assignment.draft, assignment.draft_saved_at
    same_page = kept.get("page", "") == page
    if kept_at is not None and same_page and kept.get("revision", 0) > revision:
        update(assignment, ("evidence",))
        return SavedDraft(kept_at)
    over_another = is_by_another_page(kept, page) and is_news(kept_at, known_at)
    assignment.draft = {"fields": draft_fields(fields), "revision": revision, "page": page}
    if is_leaving:
        assignment.draft["left"] = True
    assignment.draft_saved_at = timezone.now()
    update(assignment, ("draft", "draft_saved_at", "evidence"))
    return SavedDraft(assignment.draft_saved_at, over_another)


def is_by_another_page(draft: Mapping[str, Any], page: str) -> bool:
    """Whether another page that may still be open has saved it; a sent form has no page."""
    return draft.get("page", "") not in ("", page) and not draft.get("left")


def is_news(kept_at: datetime | None, known_at: datetime | None) -> bool:
    return kept_at is not None and known_at is not None and kept_at > known_at


@transaction.atomic
def submit_response(
    *,
    assignment: Assignment,
    answers: dict[str, Any],
    cautions: Sequence[Caution],
    note: str | None = None,
) -> tuple[Response, bool]:
    """Commit the response of an assignment; (response, whether it is new).

    Any number of submits of one assignment gives one response, the first. `note`: the worker's line
    on how the text came to be. Raises TooLate, or TaskReturned, when the reservation has ended.
    """
    (current,) = _lock(pk=assignment.pk)
    now = timezone.now()
    over = current.deadline is not None and current.deadline <= now
    if current.state != AssignmentState.ACCEPTED or over:
        # An assignment that is being worked on has no response: the two change in one commit.
        existing = Response.objects.filter(assignment=current).first()
        if existing is None:
            raise TaskReturned if current.state == AssignmentState.RETURNED else TooLate
        return existing, False
    task_type = task_types.get(assignment.task.round.task_type)
    response = Response(
        assignment=current,
        task_type=task_type.slug,
        schema_version=task_type.schema_version,
        answers=answers,
        cautions=[asdict(caution) for caution in cautions],
        evidence=recording.frozen_evidence(current, note),
        submitted_at=now,
    )
    current.state = AssignmentState.SUBMITTED
    current.submitted_at = now
    with together():
        insert(response)
        add_contributions(response=response, item=assignment.task.payload)
        update(current, ("state", "submitted_at"))
    task_type.keep(response, assignment)
    return response, True


@prepared
def _lock(*, pk: int) -> QuerySet[Assignment]:
    return Assignment.objects.select_for_update(no_key=True).filter(pk=pk)


def add_contributions(*, response: Response, item: Mapping[str, Any]) -> list[Contribution]:
    """The usable pieces that the task type sees in these answers."""
    pieces = task_types.get(response.task_type).contributions(response.answers, item)
    contributions = [
        Contribution(
            response=response, position=position, kind=piece["kind"], content=piece["content"]
        )
        for position, piece in enumerate(pieces)
    ]
    for contribution in contributions:
        insert(contribution)
    return contributions
