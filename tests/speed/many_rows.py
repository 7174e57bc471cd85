"""A site with as many rows of everything as wanted, copied in the database from one of each."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.utils import timezone

from config.audit import record
from config.models import Origin
from marketplace.models import (
    HITType,
    QualificationGrant,
    QualificationType,
    Worker,
    WorkerBlock,
)
from marketplace.services.bonuses import send_bonus
from marketplace.services.messages import send_messages
from marketplace.services.notification_settings import send_test_event
from marketplace.services.reviews import approve_assignment
from studies.models import Job, JobState, Payment, Round, StudyRole
from studies.services.members import add_member
from tests.marketplace.factories import make_hit, make_hit_type, make_requester, make_submitted
from tests.marketplace_site.people import make_signed_up
from tests.studies.factories import make_round, make_study
from tests.studies_admin.responses import make_response

# Where the copies' numbers begin: copy n of one table belongs to copy n of another.
FIRST = 10_000_000
# One in so many assignments of the marketplace is of the worker who looks at the pages.
MINE = 20
# Table, and what differs from copy to copy; the rest is as in the row that is there.
COPIES: tuple[tuple[str, dict[str, str]], ...] = (
    ("auth_user", {"username": "'person-' || n"}),
    ("studies_worker", {"marketplace_id": "'W' || n"}),
    ("studies_participant", {"worker_id": "{id}", "pseudonym": "'w-' || n"}),
    ("studies_story", {"external_id": "'copy-' || n"}),
    ("studies_task", {"story_id": "{id}", "position": "10 + n", "tie_break": "n"}),
    ("studies_slot", {"key": "gen_random_uuid()", "hit_id": "'H' || n"}),
    (
        "studies_assignment",
        {
            "task_id": "{id}",
            "participant_id": "{id}",
            "slot_id": "{id}",
            "marketplace_id": "'M' || n",
            "submitted_at": "{moment}",
        },
    ),
    (
        "studies_response",
        {
            "assignment_id": "{id}",
            "submitted_at": "{moment}",
            "state": "CASE WHEN n % 500 = 0 THEN 'unconfirmed' ELSE 'confirmed' END",
        },
    ),
    ("studies_payment", {"assignment_id": "{id}"}),
    ("studies_job", {}),
    ("marketplace_worker", {"user_id": "{id}", "worker_id": "'A' || n"}),
    ("marketplace_hit", {"hit_id": "'H' || n"}),
    (
        "marketplace_assignment",
        {
            "hit_id": "{id}",
            "worker_id": f"CASE WHEN n % {MINE} = 0 THEN worker_id ELSE {{id}} END",
            "assignment_id": "'M' || n",
        },
    ),
    (
        "marketplace_ledgerentry",
        {
            "assignment_id": "{id}",
            "worker_id": f"CASE WHEN n % {MINE} = 0 THEN worker_id ELSE {{id}} END",
        },
    ),
    ("marketplace_bonus", {"assignment_id": "{id}"}),
    (
        "marketplace_message",
        {"worker_id": f"CASE WHEN n % {MINE} = 0 THEN worker_id ELSE {{id}} END"},
    ),
    ("marketplace_notification", {"assignment_id": "'M' || n"}),
    ("marketplace_qualificationgrant", {"worker_id": "{id}"}),
    ("marketplace_workerblock", {"worker_id": "{id}"}),
    ("config_auditentry", {}),
)
WHICH = {"marketplace_ledgerentry": "WHERE kind = 'reward'"}
TABLES = tuple(table for table, _ in COPIES)


@dataclass(frozen=True)
class Crowded:
    """`reader`: a researcher who was given permissions one by one, as some are."""

    staff: User
    reader: User
    worker: Worker
    hit_type: HITType
    round: Round


def fill(rows: int) -> Crowded:
    made = _one_of_each()
    # The copies keep every reference; to check each of them again would take longer than to write.
    _run("SET LOCAL session_replication_role = replica")
    for table, differs in COPIES:
        _copy(table, rows, differs)
    _run("SET LOCAL session_replication_role = DEFAULT")
    _run(
        "UPDATE marketplace_worker SET unread_messages = "
        "(SELECT count(*) FROM marketplace_message WHERE worker_id = marketplace_worker.id) "
        f"WHERE id < {FIRST}"
    )
    # Of every table: one that earlier tests left empty counts as empty in a join, otherwise.
    _run("ANALYZE")
    return made


def _copy(table: str, rows: int, differs: dict[str, str]) -> None:
    columns = [name for name in _columns(table) if name != "id"]
    values = ", ".join(differs.get(name, name) for name in columns).format(
        id=f"{FIRST} + n", moment="now() - n * interval '1 second'"
    )
    _run(
        f"INSERT INTO {table} (id, {', '.join(columns)}) SELECT {FIRST} + n, {values} "
        f"FROM (SELECT * FROM {table} {WHICH.get(table, '')} ORDER BY id LIMIT 1) one, "
        f"generate_series(1, {rows}) n"
    )


def _columns(table: str) -> list[str]:
    found = _run(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' "
        f"AND table_name = '{table}' AND is_generated = 'NEVER'"
    )
    return [name for (name,) in found]


def _run(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall()) if cursor.description else []


def _one_of_each() -> Crowded:
    staff = User.objects.create_superuser("ines")
    round = make_round(make_study(budget_usd=1_000_000), overlap=1, stories=1)
    response = make_response(round)
    Payment.objects.create(assignment=response.assignment, kind="approve", decided_by=staff)
    Job.objects.create(kind="export_responses", state=JobState.DONE, study=round.study)
    worker = make_signed_up("ada")
    hit_type = _some_work(worker)
    record(origin=Origin.ADMIN, actor="ines", actor_pk=staff.pk, action="looked")
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.set(Permission.objects.all())
    add_member(study=round.study, user=reader, role=StudyRole.RESEARCHER)
    return Crowded(staff, reader, worker, hit_type, round)


def _some_work(worker: Worker) -> HITType:
    now = timezone.now()
    requester = make_requester(signing_secret=settings.MTURK_SIGNING_SECRET)
    hit_type = make_hit_type(requester)
    make_hit(hit_type)
    done = approve_assignment(assignment=make_submitted(hit_type, worker), at=now)
    amount = Decimal("0.50")
    send_bonus(requester=requester, assignment=done, amount_usd=amount, reason="Long", at=now)
    send_messages(requester=requester, workers=[worker], subject="More", text="Today.", at=now)
    kind = QualificationType.objects.create(requester=requester, name="A mark", description="x")
    QualificationGrant.objects.create(qualification_type=kind, worker=worker, granted_at=now)
    WorkerBlock.objects.create(requester=make_requester(), worker=worker, reason="x")
    send_test_event(requester=requester, url="http://localhost:9/", event="Ping", at=now)
    make_hit(hit_type)
    return hit_type
