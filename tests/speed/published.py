"""A round and its HITs on both sides, as after publishing, and one worker's way through a task."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.crowd import fill_round
from marketplace.eligibility import Requirement
from marketplace.models import HITType, QualificationType, Worker
from marketplace.services.notification_settings import set_notifications
from studies.models import Round
from studies.mturk import EVENTS
from tests.marketplace.factories import QUESTION, make_hit, make_hit_type, make_requester
from tests.marketplace_site.people import browser_of, make_signed_up
from tests.studies import factories as make

STEPS = ("accept", "assignment", "open", "submit", "send", "external submit")
# Every fifth task was done before by somebody else, and its HIT with it.
DONE_BEFORE = (
    """
    INSERT INTO studies_worker (marketplace_id) SELECT 'BEFORE' || n FROM generate_series(1, 50) n
    """,
    """
    INSERT INTO studies_participant (study_id, worker_id, pseudonym, consent_version,
           instructions_seen, qualification_applied, created_at)
    SELECT study_id, w.id, 'before-' || w.id, '', '{}', true, now()
    FROM studies_round, studies_worker w WHERE w.marketplace_id LIKE 'BEFORE%%'
    """,
    """
    INSERT INTO studies_assignment (task_id, participant_id, marketplace_id, state, accepted_at,
           deadline, draft, evidence, submitted_at)
    SELECT t.id, p.id, md5(t.id::text), 'submitted', now(), now(), '{}', '{}', now()
    FROM studies_task t
    JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM studies_participant
          WHERE pseudonym LIKE 'before-%%') p ON p.place = t.id %% 50 + 1
    WHERE t.position %% 5 = 0
    """,
    "UPDATE studies_task SET taken = 1 WHERE position %% 5 = 0",
    """
    INSERT INTO marketplace_worker (worker_id, display_name, country, subdivision,
           approved_before, rejected_before, record_source, link_version, unread_messages,
           created_at)
    SELECT 'BEFORE' || n, '', '', '', 0, 0, '', 1, 0, now() FROM generate_series(1, 50) n
    """,
    """
    UPDATE marketplace_hit SET available = 0, submitted = 1, status = 'Reviewable'
    WHERE id %% 5 = 0
    """,
    """
    INSERT INTO marketplace_assignment (assignment_id, hit_id, worker_id, status, accepted_at,
           deadline, submitted_at, auto_approval_at, answer, requester_feedback, worker_reply)
    SELECT substr(md5(h.id::text), 1, 30), h.id, w.id, 'Submitted', now(), now(), now(),
           now() + interval '3 days', '', '', ''
    FROM marketplace_hit h
    JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM marketplace_worker
          WHERE worker_id LIKE 'BEFORE%%') w ON w.place = h.id %% 50 + 1
    WHERE h.status = 'Reviewable'
    """,
)
TABLES = (
    *("marketplace_hit", "marketplace_assignment", "studies_task", "studies_slot"),
    *("studies_assignment", "marketplace_worker", "studies_participant", "studies_worker"),
)


@dataclass
class Journey:
    """Does tasks in this process and keeps the statements of each step of the last one."""

    group_id: str
    browser: Client
    frame: Client = field(default_factory=Client)
    statements: dict[str, list[str]] = field(default_factory=dict)

    def do_one(self) -> dict[str, int]:
        """One task from accept to thank-you; how many statements each step took."""
        accept = f"/worker/groups/{self.group_id}/accept/"
        accepted = self._step(
            "accept", lambda: self.browser.post(accept, {"accepts_next_shown": "1"})
        )
        assert accepted.status_code == 302
        shown = self._step("assignment", lambda: self.browser.get(accepted["Location"]))
        frame = urlsplit(_found(r'<iframe[^>]*src="([^"]+)"', shown))
        page = self._step("open", lambda: self.frame.get(f"{frame.path}?{frame.query}"))
        answers = make.answers_for({"sentences": make.SENTENCES}) | {
            "token": _found(r'name="token" value="([^"]+)"', page),
            "confirmed_cautions": "",
        }
        taken = self._step("submit", lambda: self.frame.post("/task/submit/", answers))
        assert taken.status_code == 303
        sent = self._step("send", lambda: self.frame.get(taken["Location"]))
        fields = {"assignmentId": _found(r'name="assignmentId" value="([^"]+)"', sent)}
        done = self._step(
            "external submit", lambda: self.frame.post("/mturk/externalSubmit", fields)
        )
        assert done.status_code == 200
        return {step: len(statements) for step, statements in self.statements.items()}

    def _step(self, name: str, act: Callable[[], Any]) -> Any:
        with CaptureQueriesContext(connection) as captured:
            response = act()
        self.statements[name] = [query["sql"] for query in captured.captured_queries]
        return response


def _found(pattern: str, response: Any) -> str:
    found = re.search(pattern, response.content.decode())
    assert found, response.content.decode()
    return unescape(found.group(1))


def publish(*, tasks: int) -> tuple[Round, Journey]:
    """So many tasks, a fifth of them done, and a worker whose first task is behind them."""
    requester = make_requester(signing_secret=settings.MTURK_SIGNING_SECRET)
    round = make.make_round(stories=2, overlap=1)
    round.slots.order_by("-pk")[:1].get().delete()
    round.tasks.filter(position__gt=1).delete()
    hold = QualificationType.objects.create(
        qualification_type_id=round.hold_qualification_type_id,
        requester=requester,
        name="Nothing left",
        description="Holds back.",
    )
    guard = Requirement(hold.qualification_type_id, "DoesNotExist")
    hit_type = make_hit_type(requester, requirements=(guard,))
    _tell_us(hit_type)
    hit = make_hit(hit_type, question=_question(round))
    round.slots.update(hit_id=hit.hit_id)
    fill_round(_query, tasks=tasks)
    for statement in DONE_BEFORE:
        _query(statement)
    HITType.objects.update(available_count=tasks - tasks // 5)
    _query(f"ANALYZE {', '.join(TABLES)}")
    journey = Journey(hit_type.group_id, browser_of(_worker()))
    journey.do_one()
    return round, journey


def _worker() -> Worker:
    return make_signed_up("ada")


def _tell_us(hit_type: HITType) -> None:
    set_notifications(
        hit_type=hit_type,
        url="http://localhost:8000/notifications/",
        transport="SNS",
        version="2014-08-15",
        event_types=EVENTS,
        is_active=True,
        at=timezone.now(),
    )


def _question(round: Round) -> str:
    address = f"{settings.TASK_SITE_URL}/task/{round.public_id}/"
    return re.sub(
        "<ExternalURL>.*</ExternalURL>", f"<ExternalURL>{escape(address)}</ExternalURL>", QUESTION
    )


def _query(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall()) if cursor.description else []
