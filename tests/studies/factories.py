"""One factory a model; tests build only what the case needs."""

import itertools
import secrets
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from studies import task_types
from studies.frames import Frame
from studies.models import (
    ContributionStatus,
    Participant,
    Response,
    Round,
    RoundState,
    Slot,
    Story,
    Study,
    Task,
)
from studies.services import reservation
from studies.services.plans import Plan
from studies.services.rounds import launch_round

_numbers = itertools.count(1)
SENTENCES = [
    "Mira set the kettle on the stove.",
    "The rain had not stopped since noon.",
    "She counted the cups on the shelf twice.",
    "A car turned into the yard.",
    "Mira dried her hands and opened the door.",
]


def make_study(**fields: Any) -> Study:
    return Study.objects.create(
        **{
            "slug": f"study-{next(_numbers)}",
            "title": "A study",
            "consent_text": "",
            "records_process": False,
        }
        | fields
    )


def make_stories(study: Study, count: int = 1, sentences: list[str] | None = None) -> list[Story]:
    kept = sentences or SENTENCES
    return Story.objects.bulk_create(
        Story(
            study=study,
            external_id=f"story-{next(_numbers)}",
            title="The visitor",
            source="test",
            sentences=kept,
            roles=[""] * len(kept),
        )
        for _ in range(count)
    )


def make_round(
    study: Study | None = None, *, stories: int = 2, overlap: int = 2, **fields: Any
) -> Round:
    """An open round whose slots are published: each has a HIT id, as after the job."""
    study = study or make_study()
    if not study.stories.exists():
        make_stories(study, stories)
    plan = Plan(
        study=study,
        task_type=task_types.get("state_annotation"),
        overlap=overlap,
        reward_usd=Decimal("0.35"),
        seed=7,
        **fields,
    )
    round, job = launch_round(plan=plan)
    job.delete()
    slots = list(round.slots.all())
    for slot in slots:
        slot.hit_id = new_hit_id()
    Slot.objects.bulk_update(slots, ["hit_id"], batch_size=500)
    round.state = RoundState.OPEN
    round.hit_type_id = secrets.token_hex(15).upper()
    round.hold_qualification_type_id = secrets.token_hex(15).upper()
    round.save()
    return round


def new_hit_id() -> str:
    return secrets.token_hex(15).upper()


def make_participant(round: Round, worker_id: str | None = None) -> Participant:
    return reservation.register_participant(
        round=round, worker_id=worker_id or f"A{secrets.token_hex(6).upper()}"
    )


def withdraw(response: Response) -> Response:
    """As when its worker took back what it yielded."""
    response.contributions.create(kind="assertion", content={}, status=ContributionStatus.WITHDRAWN)
    return response


def make_frame(slot: Slot, *, worker_id: str = "", deadline: datetime | None = None) -> Frame:
    """A fresh acceptance of the slot."""
    return Frame(
        assignment_id=secrets.token_hex(15).upper(),
        worker_id=worker_id,
        hit_id=slot.hit_id,
        submit_origin="http://localhost:8000",
        deadline=deadline or timezone.now() + timedelta(minutes=30),
    )


def free_slot(round: Round) -> Slot:
    return free_slots(round)[0]


def free_slots(round: Round) -> QuerySet[Slot]:
    """Those that nobody holds."""
    held = ["accepted", "submitted", "approved", "rejected"]
    free = round.slots.filter(spent=False).exclude(assignments__state__in=held)
    return free.order_by("pk")


def tasks_taken(round: Round) -> list[int]:
    return list(
        Task.objects.filter(round=round).order_by("position").values_list("taken", flat=True)
    )


def answers_for(item: dict[str, Any], marker: str = "calm") -> dict[str, Any]:
    """Valid fields of a state annotation as the page posts them."""
    fields: dict[str, Any] = {
        "assertion": f"The visitor is {marker}.",
        "justification": ["2"],
        "changed_assertion": f"The visitor is far from {marker}.",
    }
    for number, sentence in enumerate(item["sentences"], 1):
        fields[f"revision_{number}"] = sentence
    fields["revision_4"] = "A car raced into the yard."
    return fields
