"""Requesters, workers and time do anything in any order; the counters always tell the truth."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.db.models import F, Sum
from django.utils import timezone

from marketplace.errors import Refused
from marketplace.models import HIT, Assignment, HITType, LedgerEntry, Requester, Worker
from marketplace.services import assignments, hits, reviews
from marketplace.services.timekeeping import keep_time
from tests.marketplace.factories import make_hit, make_hit_type, make_requester, make_worker

pytestmark = pytest.mark.django_db
STEPS = 150
CHECKED_EVERY = 4
Status = Assignment.Status


@dataclass
class World:
    """Two groups of one requester whose funds do not cover everything."""

    requester: Requester
    hit_types: list[HITType]
    workers: list[Worker]
    draw: random.Random
    clock: datetime

    def any_hit(self) -> HIT:
        return self.draw.choice(list(HIT.objects.order_by("pk")))

    def any_assignment(self) -> Assignment:
        """Any, so that most of what is tried is refused."""
        return self.draw.choice(list(Assignment.objects.order_by("pk")))

    def publish(self) -> None:
        make_hit(
            self.draw.choice(self.hit_types),
            max_assignments=self.draw.choice([1, 1, 2, 3, 12]),
            lifetime=timedelta(minutes=self.draw.choice([1, 30, 300])),
            at=self.clock,
        )

    def accept(self) -> None:
        worker, hit_type = self.draw.choice(self.workers), self.draw.choice(self.hit_types)
        assignments.accept_hit(worker=worker, group_id=hit_type.group_id)

    def give_back(self) -> None:
        assignments.return_assignment(assignment=self.any_assignment())

    def submit(self) -> None:
        assignments.submit_assignment(
            assignment_id=self.any_assignment().assignment_id, fields=[("answer", "a")]
        )

    def approve(self) -> None:
        reviews.approve_assignment(
            assignment=self.any_assignment(),
            at=self.clock,
            override_rejection=self.draw.random() < 0.5,
        )

    def reject(self) -> None:
        reviews.reject_assignment(assignment=self.any_assignment(), feedback="No.", at=self.clock)

    def move_expiration(self) -> None:
        at = self.clock + timedelta(minutes=self.draw.choice([-10, 0, 1, 60]))
        hits.set_expiration(hit=self.any_hit(), expires_at=at, at=self.clock)

    def add_assignments(self) -> None:
        hits.add_assignments(hit=self.any_hit(), count=self.draw.choice([1, 2]), at=self.clock)

    def mark_reviewing(self) -> None:
        hits.mark_reviewing(
            hit=self.any_hit(), is_reviewing=self.draw.random() < 0.5, at=self.clock
        )

    def dispose(self) -> None:
        hits.dispose_hit(hit=self.any_hit(), at=self.clock)

    def pass_time(self) -> None:
        self.clock += timedelta(minutes=self.draw.choice([1, 10, 40]))

    def keep_time(self) -> None:
        keep_time(at=self.clock)


ACTIONS: list[tuple[Callable[[World], None], int]] = [
    (World.publish, 3),
    (World.accept, 8),
    (World.give_back, 2),
    (World.submit, 6),
    (World.approve, 4),
    (World.reject, 2),
    (World.move_expiration, 2),
    (World.add_assignments, 2),
    (World.mark_reviewing, 1),
    (World.dispose, 1),
    (World.pass_time, 2),
    (World.keep_time, 2),
]


def check(world: World) -> None:
    held = Decimal(0)
    for hit_type in HITType.objects.all():
        rows = list(hit_type.hits.all())
        for hit in rows:
            check_hit(hit)
        open_now = sum(hit.available for hit in rows if hit.status == HIT.Status.ASSIGNABLE)
        assert hit_type.available_count == open_now
        held += hit_type.cost_usd * sum(hit.held_slots for hit in rows)
    requester = Requester.objects.get(pk=world.requester.pk)
    assert requester.on_hold_usd == held
    assert requester.balance_usd == LedgerEntry.objects.aggregate(sum=Sum("amount_usd"))["sum"]
    assert requester.balance_usd >= requester.on_hold_usd


def check_hit(hit: HIT) -> None:
    states = list(hit.assignments.values_list("status", flat=True))
    assert hit.pending == states.count(Status.ACCEPTED)
    assert hit.submitted == states.count(Status.SUBMITTED)
    assert hit.completed == states.count(Status.APPROVED) + states.count(Status.REJECTED)
    assert hit.available == hit.max_assignments - hit.pending - hit.submitted - hit.completed
    is_open = not hit.is_expired and hit.status != HIT.Status.DISPOSED
    assert hit.held_slots == (hit.available if is_open else 0) + hit.pending + hit.submitted


def paid_is_approved() -> None:
    paid = LedgerEntry.objects.filter(kind="reward").values_list("assignment_id", flat=True)
    approved = Assignment.objects.filter(status=Status.APPROVED).values_list("pk", flat=True)
    assert sorted(paid) == sorted(approved)
    wrong = LedgerEntry.objects.filter(kind="reward").exclude(
        amount_usd=-F("assignment__hit__hit_type__reward_usd")
    )
    assert not wrong.exists()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_the_counters_and_the_money_agree(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    requester = make_requester(funds_usd="9.00")
    hit_types = [
        make_hit_type(requester, minutes=20, auto_approval=timedelta(minutes=45)),
        make_hit_type(requester, minutes=3, reward="0.11", auto_approval=timedelta(days=1)),
    ]
    draw = random.Random(seed)
    world = World(requester, hit_types, [make_worker() for _ in range(5)], draw, timezone.now())
    monkeypatch.setattr(timezone, "now", lambda: world.clock)
    actions, weights = zip(*ACTIONS, strict=True)
    for hit_type in hit_types:
        make_hit(hit_type, max_assignments=3, at=world.clock)
    world.accept()
    refused = 0

    for step in range(STEPS):
        try:
            draw.choices(actions, weights)[0](world)
        except Refused:
            refused += 1
        if step % CHECKED_EVERY == 0:
            check(world)
    check(world)
    paid_is_approved()

    assert 0 < refused < STEPS
