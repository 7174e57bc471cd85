"""Many workers at the same moment, on PostgreSQL, in threads with connections of their own."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.db import connection

from marketplace.errors import AlreadyHolding, NothingLeft, Refused
from marketplace.models import HIT, Assignment, HITType, LedgerEntry
from marketplace.services.assignments import accept_hit, return_assignment, submit_assignment
from marketplace.services.reviews import approve_assignment
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_submitted,
    make_worker,
)

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 60


def all_at_once(actions: list[Callable[[], object]]) -> list[str]:
    """What each did: "done", or the name of its refusal."""
    start = Barrier(len(actions))

    def run(action: Callable[[], object]) -> str:
        try:
            start.wait()
            action()
            return "done"
        except Refused as refusal:
            return type(refusal).__name__
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


def test_60_workers_for_30_slots_give_30_acceptances_and_30_truthful_refusals() -> None:
    hit_type = make_hit_type()
    for _ in range(10):
        make_hit(hit_type, max_assignments=3)
    workers = [make_worker() for _ in range(AT_ONCE)]

    outcome = all_at_once(
        [partial(accept_hit, worker=worker, group_id=hit_type.group_id) for worker in workers]
    )

    assert Counter(outcome) == {"done": 30, NothingLeft.__name__: 30}
    assert Assignment.objects.count() == 30
    assert not HIT.objects.exclude(available=0, pending=3).exists()
    assert HITType.objects.get().available_count == 0


def test_one_worker_clicking_twenty_times_holds_one() -> None:
    hit_type = make_hit_type()
    for _ in range(5):
        make_hit(hit_type)
    worker = make_worker()

    outcome = all_at_once([lambda: accept_hit(worker=worker, group_id=hit_type.group_id)] * 20)

    assert Counter(outcome) == {"done": 1, AlreadyHolding.__name__: 19}


def test_200_submissions_of_one_assignment_are_one() -> None:
    hit_type = make_hit_type()
    make_hit(hit_type)
    accepted = make_accepted(hit_type)

    def submit() -> object:
        return submit_assignment(assignment_id=accepted.assignment_id, fields=[("a", "b")])

    # 200 connections at once are more than a small server has to spare.
    outcome = [word for _ in range(2) for word in all_at_once([submit] * 100)]

    assert Counter(outcome) == {"done": 200}
    hit = HIT.objects.get()
    assert (hit.pending, hit.submitted) == (0, 1)


def test_returning_and_submitting_at_once_does_one_of_the_two() -> None:
    hit_type = make_hit_type()
    make_hit(hit_type)
    accepted = make_accepted(hit_type)

    outcome = all_at_once(
        [
            lambda: return_assignment(assignment=accepted),
            lambda: submit_assignment(assignment_id=accepted.assignment_id, fields=[]),
        ]
    )

    assert outcome.count("done") == 1


def test_twenty_approvals_at_once_pay_once() -> None:
    hit_type = make_hit_type()
    make_hit(hit_type)
    submitted = make_submitted(hit_type)
    now = submitted.submitted_at
    assert now is not None

    outcome = all_at_once([lambda: approve_assignment(assignment=submitted, at=now)] * 20)

    assert Counter(outcome) == {"done": 1, "InvalidState": 19}
    assert LedgerEntry.objects.filter(kind="reward").count() == 1


def test_accepting_returning_and_publishing_at_once_loses_no_slot() -> None:
    hit_type = make_hit_type()
    for _ in range(10):
        make_hit(hit_type)
    held = [make_accepted(hit_type) for _ in range(5)]
    workers = [make_worker() for _ in range(20)]

    outcome = all_at_once(
        [
            *[lambda a=a: return_assignment(assignment=a) for a in held],
            *[lambda w=w: accept_hit(worker=w, group_id=hit_type.group_id) for w in workers],
            *[lambda: make_hit(hit_type) for _ in range(5)],
        ]
    )

    accepted = outcome[5:25].count("done")
    live = Assignment.objects.filter(status="Accepted").count()
    assert outcome[:5] == outcome[25:] == ["done"] * 5
    assert live == accepted
    assert HITType.objects.get().available_count == 15 - accepted
    assert HIT.objects.filter(available=1).count() == 15 - accepted


def test_two_publishers_with_one_token_make_one_hit() -> None:
    hit_type = make_hit_type()

    outcome = all_at_once([lambda: make_hit(hit_type, token="slot-1")] * 10)

    assert Counter(outcome) == {"done": 1, "HITAlreadyExists": 9}
    assert HIT.objects.count() == 1
