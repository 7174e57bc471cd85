"""A site with one of everything, each text that a person can write being the same one."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.utils import timezone

from config.audit import record
from config.models import Origin
from config.tokens import make_token
from marketplace.models import (
    AccessKey,
    Assignment,
    HITType,
    Invitation,
    NotificationDestination,
    QualificationGrant,
    QualificationType,
    Requester,
    Worker,
    WorkerBlock,
)
from marketplace.services.assignments import accept_hit, return_assignment, submit_assignment
from marketplace.services.bonuses import send_bonus
from marketplace.services.hits import HITProperties, register_hit_type
from marketplace.services.messages import send_messages
from marketplace.services.notification_settings import send_test_event, set_notifications
from marketplace.services.reviews import approve_assignment, reject_assignment, reply_to_rejection
from studies.models import (
    AssignmentState,
    Job,
    JobState,
    Payment,
    PaymentState,
    ResponseState,
    Round,
    RoundState,
    Story,
    Study,
)
from tests.everywhere.decided import decide
from tests.everywhere.ran import fill_runs
from tests.everywhere.rated import fill_ratings
from tests.everywhere.released import fill_release
from tests.everywhere.reviewed import fill_review
from tests.marketplace.factories import make_hit, make_requester
from tests.studies.factories import make_participant, make_round
from tests.studies_admin.responses import make_response

CAUTIONS = [{"field": "assertion", "code": "looks_like_action"}]


@dataclass(frozen=True)
class World:
    text: str
    staff: User
    worker: Worker
    hit_type: HITType
    study: Study
    round: Round


def make_world(text: str) -> World:
    staff = User.objects.create_superuser("ines", password="a lantern", first_name=text)
    Group.objects.create(name=text)
    make_token(user=staff, label=text[:100])
    record(origin=Origin.ADMIN, actor=text, action=text, target=text, detail=[text])
    worker, hit_type = _fill_marketplace(text)
    study = _make_study(text)
    round = make_round(study, overlap=2)
    _fill_round(round, text, staff)
    _add_other_rounds(study)
    _add_jobs(study, text, staff)
    fill_review(study, text, staff)
    decide(study, staff)
    fill_release(study, staff)
    fill_runs(study, text, staff)
    fill_ratings(study, text, staff)
    return World(text, staff, worker, hit_type, study, round)


def _fill_marketplace(text: str) -> tuple[Worker, HITType]:
    user = User.objects.create_user("ada", password="a lantern", first_name=text)
    worker = Worker.objects.create(user=user, display_name=text, country="US", record_source=text)
    requester = make_requester(name=text, signing_secret=settings.MTURK_SIGNING_SECRET)
    AccessKey.objects.create(requester=requester)
    for fields in _invitations():
        Invitation.objects.create(label=text, requester=requester, **fields)
    kind = QualificationType.objects.create(
        requester=requester, name=text, keywords=text, description=text
    )
    QualificationGrant.objects.create(
        qualification_type=kind, worker=worker, reason=text, granted_at=timezone.now()
    )
    other = make_requester(name=f"{text} 2")
    WorkerBlock.objects.create(requester=other, worker=worker, reason=text)
    hit_type = _make_hit_type(requester, text)
    set_notifications(
        hit_type=hit_type,
        url="http://localhost:9/" + text,
        transport="SNS",
        version="2014-08-15",
        event_types=["AssignmentSubmitted"],
        is_active=True,
        at=timezone.now(),
    )
    _do_some_work(worker, hit_type, text)
    send_test_event(
        requester=requester, url="http://localhost:9/" + text, event="Ping", at=timezone.now()
    )
    NotificationDestination.objects.update(last_error=text, failures=1)
    return worker, hit_type


def _invitations() -> list[dict[str, Any]]:
    now = timezone.now()
    return [
        {},
        {"revoked_at": now},
        {"expires_at": now - timedelta(days=1)},
        {"max_uses": 1, "uses": 1},
    ]


def _make_hit_type(requester: Requester, text: str) -> HITType:
    properties = HITProperties(
        title=text,
        description=text,
        keywords=text,
        reward_usd=Decimal("0.35"),
        assignment_duration=timedelta(minutes=30),
        auto_approval_delay=timedelta(days=3),
        requirements=(),
    )
    return register_hit_type(requester=requester, properties=properties)


def _do_some_work(worker: Worker, hit_type: HITType, text: str) -> None:
    """An assignment of this worker in every state, and HITs that are left."""
    for _ in range(8):
        make_hit(hit_type, annotation=text)
    now = timezone.now()
    return_assignment(assignment=accept_hit(worker=worker, group_id=hit_type.group_id))
    done = [_submitted(worker, hit_type, text) for _ in range(4)]
    approve_assignment(assignment=done[0], at=now, feedback=text)
    for rejected in (done[1], done[3]):
        reject_assignment(assignment=rejected, at=now, feedback=text)
    reply_to_rejection(assignment=done[3], text=text, at=now)
    amount = Decimal("0.50")
    send_bonus(
        requester=hit_type.requester, assignment=done[1], amount_usd=amount, reason=text, at=now
    )
    send_messages(requester=hit_type.requester, workers=[worker], subject=text, text=text, at=now)
    lapsed = accept_hit(worker=worker, group_id=hit_type.group_id)
    Assignment.objects.filter(pk=lapsed.pk).update(
        status=Assignment.Status.ABANDONED, given_up_at=now
    )
    accept_hit(worker=worker, group_id=hit_type.group_id)


def _submitted(worker: Worker, hit_type: HITType, text: str) -> Assignment:
    accepted = accept_hit(worker=worker, group_id=hit_type.group_id)
    return submit_assignment(
        assignment_id=accepted.assignment_id, fields=[("answer", text)], worker_id=worker.worker_id
    )


def _make_study(text: str) -> Study:
    study = Study.objects.create(
        slug="evenings",
        title=text,
        consent_text=text,
        contact=text,
        budget_usd=500,
        records_process=True,
    )
    Story.objects.bulk_create(
        Story(
            study=study,
            external_id=f"{number} {text}",
            title=text,
            source=text,
            sentences=[f"{text} {place}." for place in range(1, 6)],
            roles=[""] * 5,
        )
        for number in range(6)
    )
    return study


def _fill_round(round: Round, text: str, staff: User) -> None:
    """A response in every state, with every decision."""
    answers = {
        "assertion": text,
        "justification": [2],
        "changed_assertion": text,
        "revision": [f"{text} {place}!" for place in range(1, 6)],
    }
    step = {"active_ms": 4000, "keys": 20, "away": 1, "away_ms": 3000, "undos": 1, "resets": 0}
    evidence = {
        "version": 1,
        "pages": 1,
        "steps": {"1": step | {"pastes": [4], "drops": []}},
        "note": text,
    }
    for state in ResponseState:
        make_response(
            round, state=state, answers=answers, cautions=CAUTIONS, evidence=evidence, minutes=4
        )
    for payment_state in PaymentState:
        confirmed = payment_state == PaymentState.CONFIRMED
        response = make_response(
            round,
            answers=answers,
            assignment_state=AssignmentState.REJECTED if confirmed else AssignmentState.SUBMITTED,
        )
        Payment.objects.create(
            assignment=response.assignment,
            kind="reject",
            reason=text,
            answer=text if confirmed else "",
            answered_at=timezone.now() if confirmed else None,
            state=payment_state,
            error=text if payment_state == PaymentState.REFUSED else "",
            decided_by=staff,
        )


def _add_other_rounds(study: Study) -> None:
    for state in (RoundState.PUBLISHING, RoundState.PAUSED, RoundState.CLOSED):
        other = make_round(study, overlap=1)
        other.state = state
        other.save()
        make_participant(other)


def _add_jobs(study: Study, text: str, staff: User) -> None:
    now = timezone.now()
    checked = {
        "ok": True,
        "dry_run": True,
        "file": text,
        "format": text,
        "encoding": "utf-8",
        "rows": 3,
        "added": 2,
        "unchanged": 1,
        "repeated_rows": 0,
        "sentence_counts": {"5": 2},
        "unused_fields": [text],
        "warnings": [text],
        "problems": [],
    }
    refused = {"ok": False, "problems": [text], "warnings": [text]}
    stories = {"file": "stories/none.csv", "name": text, "format": "auto"}
    jobs: list[dict[str, Any]] = [
        {
            "kind": "import_stories",
            "state": JobState.DONE,
            "payload": stories | {"dry_run": True},
            "result": checked,
        },
        {
            "kind": "import_stories",
            "state": JobState.FAILED,
            "payload": stories | {"dry_run": False},
            "result": refused,
            "error": text,
        },
        {
            "kind": "publish_round",
            "state": JobState.RUNNING,
            "message": text,
            "done": 1,
            "total": 5,
            "started_at": now - timedelta(minutes=1),
            "lease_token": _uuid(),
            "lease_until": now + timedelta(minutes=1),
        },
        {"kind": "publish_round", "state": JobState.QUEUED, "message": text},
        {"kind": "publish_round", "state": JobState.CANCELLED, "message": text},
    ]
    for fields in jobs:
        Job.objects.create(study=study, requested_by=staff, **fields)


def _uuid() -> str:
    return secrets.token_hex(16)
