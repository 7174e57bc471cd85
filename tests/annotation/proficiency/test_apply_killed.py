"""Applying the standings: a real process, killed at a known place, and a real marketplace."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.models import Decision, ReviewPlan
from annotation.proficiency.deciding import LOCK_SPACE, apply_standings
from annotation.review.plans import ensure_plan
from config.embedded.layout import BASE_DIR
from marketplace.models import Assignment as MarketplaceAssignment
from marketplace.models import HITType, LedgerEntry, QualificationGrant, Worker
from marketplace.services.assignments import accept_hit, submit_assignment
from studies.models import (
    Assignment,
    AssignmentState,
    Contribution,
    Participant,
    Payment,
    Response,
    Round,
    Slot,
)
from tests.annotation.proficiency.work import review
from tests.e2e.study import STORIES, STUDY, launch_round, make_requester, make_study
from tests.stack import Stack
from tests.studies.factories import make_participant
from tests.studies_admin.responses import ANSWERS

WORKERS, EACH = 3, 10
# The row that a process wants in the middle of its work: of the second worker, or of the second
# worker's fifth assignment, so that much is done before and much is not.
IN_THE_MIDDLE = {
    "deciding": (
        "SELECT 1 FROM studies_participant WHERE id = "
        "(SELECT id FROM studies_participant ORDER BY pseudonym OFFSET 1 LIMIT 1) FOR UPDATE"
    ),
    "granting": (
        "SELECT 1 FROM marketplace_worker WHERE id = "
        "(SELECT id FROM marketplace_worker ORDER BY id OFFSET 1 LIMIT 1) FOR UPDATE"
    ),
    "approving": (
        "SELECT 1 FROM marketplace_assignment WHERE assignment_id = "
        "(SELECT marketplace_id FROM studies_assignment ORDER BY id OFFSET 15 LIMIT 1) FOR UPDATE"
    ),
}
# Qualifications granted by then, and whether some but not all assignments are approved.
DONE_BY_THEN = {"deciding": (0, False), "granting": (1, False), "approving": (2, True)}


@pytest.fixture
def harbour(stack: Stack, tmp_path: Path) -> Stack:
    """Three workers did ten tasks each; the sample is three, and two of the workers are able."""
    make_requester(stack)
    make_study(stack, tmp_path, [STORIES[n % len(STORIES)] for n in range(EACH)])
    launch_round(stack, overlap=WORKERS)
    with stack.django():
        round = Round.objects.get()
        for number in range(WORKERS):
            worker = Worker.objects.create(display_name=f"Worker {number}")
            participant = make_participant(round, worker.worker_id)
            for _ in range(EACH):
                hand_in(round, participant, worker)
        plan = ensure_plan(study=round.study)
        ReviewPlan.objects.filter(pk=plan.pk).update(
            min_responses=EACH, max_rejected_share=Decimal("0.4"), double_share=0
        )
        for wrong, participant in enumerate(Participant.objects.order_by("pk")):
            review(participant, wrong=wrong)
    return stack


def hand_in(round: Round, participant: Participant, worker: Worker) -> None:
    """A task done, on both sides."""
    hit_type = HITType.objects.get(hit_type_id=round.hit_type_id)
    accepted = accept_hit(worker=worker, group_id=hit_type.group_id)
    submit_assignment(assignment_id=accepted.assignment_id, fields=[("answer", "kept elsewhere")])
    now = timezone.now()
    assignment = Assignment.objects.create(
        task=round.tasks.exclude(assignments__participant=participant)[0],
        participant=participant,
        slot=Slot.objects.get(hit_id=accepted.hit.hit_id),
        marketplace_id=accepted.assignment_id,
        state=AssignmentState.SUBMITTED,
        accepted_at=now,
        submitted_at=now,
    )
    response = Response.objects.create(
        assignment=assignment,
        task_type=round.task_type,
        schema_version=1,
        answers=ANSWERS,
        state="confirmed",
        submitted_at=now,
        confirmed_at=now,
    )
    Contribution.objects.create(response=response, kind="state", content={})


def test_a_command_that_is_killed_again_and_again_does_everything_once(harbour: Stack) -> None:
    for name in ("beat", "worker"):
        harbour.kill(name)
    command = ["proficiency", STUDY, "--apply"]

    for place, statement in IN_THE_MIDDLE.items():
        with held(harbour, statement) as holder:
            process = subprocess.Popen(
                [sys.executable, "manage.py", *command],
                cwd=BASE_DIR,
                env=harbour.env,
                start_new_session=True,
                stdout=subprocess.PIPE,
            )
            wait_until_stuck(harbour, holder)
            assert done_so_far(harbour) == DONE_BY_THEN[place]
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        harbour.wait_for(
            "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory' AND classid = %s",
            LOCK_SPACE,
        )
    for _ in range(2):
        harbour.call(*command)
        assert_done_once(harbour)


def test_a_job_worker_that_was_killed_goes_on(harbour: Stack) -> None:
    """Whoever takes the job up again finds what is left to do."""
    with held(harbour, IN_THE_MIDDLE["approving"]) as holder:
        with harbour.django():
            apply_standings(study=Round.objects.get().study)
        harbour.tick("studies.recover_jobs")
        wait_until_stuck(harbour, holder)
        assert done_so_far(harbour) == DONE_BY_THEN["approving"]
        harbour.kill("worker")
    harbour.query("UPDATE studies_job SET lease_until = now() WHERE state = 'running'")
    harbour.start("worker")
    harbour.tick("studies.recover_jobs")

    harbour.wait_for(
        "SELECT state = 'done' FROM studies_job WHERE kind = 'apply_standings'", seconds=60
    )
    assert_done_once(harbour)


@contextmanager
def held(stack: Stack, statement: str) -> Iterator[int]:
    """Nobody else gets at this row; the server's process that holds it."""
    connection = stack.db()
    connection.autocommit = False
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            assert cursor.fetchall()
            yield connection.info.backend_pid
    finally:
        connection.rollback()
        connection.close()


def wait_until_stuck(stack: Stack, holder: int) -> None:
    stack.wait_for(
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))",
        holder,
        seconds=60,
    )


def done_so_far(stack: Stack) -> tuple[int, bool]:
    with stack.django():
        granted = QualificationGrant.objects.filter(status="Granted").count()
        approved = MarketplaceAssignment.objects.filter(status="Approved").count()
    return granted, 0 < approved < WORKERS * EACH


def assert_done_once(stack: Stack) -> None:
    with stack.django():
        able = set(Participant.objects.filter(qualified_at__isnull=False))
        grants = QualificationGrant.objects.filter(status="Granted")
        rewards = LedgerEntry.objects.filter(kind="reward")
        assert len(able) == grants.count() == 2
        assert {grant.worker.worker_id for grant in grants} == {
            participant.worker.marketplace_id for participant in able
        }
        assert MarketplaceAssignment.objects.filter(status="Approved").count() == 30
        assert rewards.count() == rewards.values("assignment").distinct().count() == 30
        assert sum(entry.amount_usd for entry in rewards) == Decimal("-10.50")
        assert Payment.objects.filter(kind="approve", state="confirmed").count() == 30
        assert Assignment.objects.filter(state="approved").count() == 30
        assert Decision.objects.count() == WORKERS
        assert Contribution.objects.filter(status="accepted").count() == 10 + 9 + 1
        assert Contribution.objects.filter(status="rejected").count() == 0 + 1 + 9
