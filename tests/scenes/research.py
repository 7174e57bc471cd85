"""A study with rounds, responses, payments and jobs in every state, for the admin's pages."""

import csv
import uuid
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.demo import study as demo
from studies import task_types
from studies.models import (
    Assignment,
    AssignmentState,
    Job,
    JobState,
    Participant,
    Payment,
    PaymentKind,
    PaymentState,
    Response,
    ResponseState,
    Round,
    RoundState,
    Story,
    Study,
)
from studies.services.plans import Plan
from studies.services.rounds import launch_round
from tests.studies.factories import make_participant, make_round
from tests.studies_admin.responses import make_response

PEOPLE = 9
# Of the open round, newest first: how many responses each of the last hours brought.
HOURS = (3, 5, 2, 0, 4, 7, 9, 6, 0, 0, 1, 2, 5, 3)
CAUTIONS = [
    {
        "field": "revision_4",
        "code": "sentence_count",
        "message": "Sentence 4 looks like two sentences. Each box holds one.",
    },
    {
        "field": "assertion",
        "code": "action",
        "message": "“turned” may be an action. A state is what somebody is like, not what they do.",
    },
]
STEP = {
    "active_ms": 48_000,
    "keys": 92,
    "away": 0,
    "away_ms": 0,
    "undos": 1,
    "resets": 0,
    "pastes": [],
    "drops": [],
}
EVIDENCE = {
    "version": 1,
    "pages": 2,
    "note": "I dictate, and a program types what I say.",
    "steps": {
        "1": STEP,
        "2": STEP | {"keys": 0, "active_ms": 21_000},
        "3": STEP | {"pastes": [41], "away": 1, "away_ms": 61_000},
        "4": STEP | {"active_ms": 133_000, "pastes": [212, 18], "resets": 1},
    },
}
NO_MONEY = "The marketplace account has too little money: $7.20 is there, $21.00 is needed."


@dataclass
class Moods:
    study: Study
    open: Round
    finished: Round
    paused: Round
    fresh: Round
    publishing: Round
    failed: Round
    rich_response: Response
    plain_response: Response
    rejected_response: Response
    answered_response: Response
    jobs: dict[str, Job]


def make_moods(researcher: User) -> Moods:
    study = Study.objects.create(
        slug="moods",
        title="Moods of minor characters",
        consent_text="Take part? You may stop whenever you like.",
        budget_usd=Decimal(120),
    )
    make_stories(study)
    finished = make_round(study, overlap=1, limit=8)
    people = [make_participant(finished) for _ in range(PEOPLE)]
    for participant in people[:8]:
        pay(make_response(finished, participant=participant, minutes=7), researcher)
    Round.objects.filter(pk=finished.pk).update(state=RoundState.CLOSED)
    open_round = make_round(study, overlap=3)
    responses = fill(open_round, people)
    paused = make_round(study, overlap=2, limit=6, pilot=True)
    make_response(paused, participant=people[0])
    Round.objects.filter(pk=paused.pk).update(state=RoundState.PAUSED)
    publishing, publish_job = launch(study, researcher, limit=12)
    failed, failed_job = launch(study, researcher, limit=20)
    return Moods(
        study=study,
        open=open_round,
        finished=Round.objects.get(pk=finished.pk),
        paused=Round.objects.get(pk=paused.pk),
        fresh=make_round(study, overlap=2, limit=4),
        publishing=publishing,
        failed=failed,
        rich_response=responses[0],
        plain_response=responses[5],
        rejected_response=reject(responses[8], researcher),
        answered_response=be_answered(responses[9], researcher),
        jobs=make_jobs(study, researcher)
        | {
            "running": stand(publish_job, JobState.RUNNING, done=5, total=12),
            "failed": stand(failed_job, JobState.FAILED, error=NO_MONEY),
        },
    )


def make_stories(study: Study) -> None:
    with demo.STORIES_FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sentences = [row[f"line{n}"] for n in range(1, 7) if row[f"line{n}"]]
            Story.objects.create(
                study=study,
                external_id=row["story_id"],
                title=row["title"],
                source="stories.csv",
                sentences=sentences,
                roles=[""] * len(sentences),
            )


def fill(round: Round, people: list[Participant]) -> list[Response]:
    """Responses hour by hour, newest first: most are confirmed, each other state is there too."""
    responses: list[Response] = []
    for hour, count in enumerate(HOURS):
        for number in range(count):
            place = len(responses)
            at = timezone.now() - timedelta(hours=hour, minutes=7 * number + 2)
            state = {1: ResponseState.SUBMITTED, 4: ResponseState.UNCONFIRMED}.get(
                place, ResponseState.CONFIRMED
            )
            more: dict[str, Any] = {"cautions": CAUTIONS, "evidence": EVIDENCE} if not place else {}
            responses.append(
                make_response(
                    round,
                    participant=people[place % PEOPLE],
                    state=state,
                    submitted_at=at,
                    minutes=3 + place % 5,
                    **more,
                )
            )
            answer(responses[-1])
    return responses


def answer(response: Response) -> None:
    """Answers that are about the task's story: its last sentence but one is revised."""
    sentences = response.assignment.task.payload["sentences"]
    revised = sentences[-2].split()
    revised[-2:] = ["nobody", "minded."]
    response.answers = {
        "assertion": "The one who waits is patient.",
        "justification": [2, len(sentences) - 1],
        "changed_assertion": "The one who waits is in a hurry.",
        "revision": [*sentences[:-2], " ".join(revised), sentences[-1]],
    }
    response.save(update_fields=["answers"])


def pay(response: Response, by: User) -> None:
    decide(response, PaymentKind.APPROVE, by, state=PaymentState.CONFIRMED)
    Assignment.objects.filter(pk=response.assignment_id).update(state=AssignmentState.APPROVED)


def reject(response: Response, by: User) -> Response:
    """The marketplace has heard of it, and refused."""
    error = "The marketplace says that this assignment is approved already."
    reason = "The revised story still says that the visitor is calm."
    decide(response, PaymentKind.REJECT, by, state=PaymentState.REFUSED, reason=reason, error=error)
    return response


def be_answered(response: Response, by: User) -> Response:
    """Rejected, and its worker has something to say to that."""
    decide(
        response,
        PaymentKind.REJECT,
        by,
        state=PaymentState.CONFIRMED,
        reason="The revised story still says that the visitor is calm.",
        answer="In sentence 4 the car now races into the yard.\nNobody calm would drive like that.",
        answered_at=timezone.now(),
    )
    Assignment.objects.filter(pk=response.assignment_id).update(state=AssignmentState.REJECTED)
    response.assignment.refresh_from_db()
    return response


def decide(response: Response, kind: PaymentKind, by: User, **fields: Any) -> None:
    confirmed_at = timezone.now() if fields["state"] == PaymentState.CONFIRMED else None
    Payment.objects.create(
        assignment=response.assignment,
        kind=kind,
        decided_by=by,
        confirmed_at=confirmed_at,
        **fields,
    )


def launch(study: Study, by: User | None, *, limit: int, overlap: int = 2) -> tuple[Round, Job]:
    plan = Plan(
        study=study,
        task_type=task_types.get("state_annotation"),
        overlap=overlap,
        reward_usd=Decimal("0.35"),
        limit=limit,
        seed=limit,
    )
    return launch_round(plan=plan, user=by)


def make_jobs(study: Study, by: User) -> dict[str, Job]:
    def job(kind: str, state: JobState, **fields: Any) -> Job:
        return stand(Job.objects.create(kind=kind, study=study, requested_by=by), state, **fields)

    return {
        "queued": job("publish_round", JobState.QUEUED),
        "cancelled": job("import_stories", JobState.CANCELLED, done=1_200_000, total=9_400_000),
        "done": job("publish_round", JobState.DONE, done=57, total=57),
    }


def stand(job: Job, state: JobState, **fields: Any) -> Job:
    """The job as a job worker would have left it."""
    now = timezone.now()
    lease = now + timedelta(days=1) if state == JobState.RUNNING else None
    begun = None if state == JobState.QUEUED else now - timedelta(seconds=40)
    Job.objects.filter(pk=job.pk).update(
        state=state,
        lease_until=lease,
        lease_token=uuid.uuid4() if lease else None,
        started_at=begun,
        **fields,
    )
    job.refresh_from_db()
    return job
