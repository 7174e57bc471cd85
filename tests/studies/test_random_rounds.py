"""Workers, marketplace and beat do anything in any order; what must hold holds at every step."""

import contextlib
import random
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from studies import mturk
from studies.frames import Frame
from studies.models import Assignment, Hold, Response, ResponseState, Round, Slot, Task
from studies.models.assignment import ENDED, LIVE
from studies.services import holds, occupancy, reservation, rounds, settlement, submission
from tests.studies import factories as make

pytestmark = pytest.mark.django_db
STEPS = 150
TURNS = 15
LIMIT = timedelta(minutes=30)
ANSWERS = {"assertion": "a", "justification": [1], "changed_assertion": "b", "revision": []}


@dataclass
class Acceptance:
    """What the marketplace knows: the truth that we are told about late, twice, or never."""

    frame: Frame
    status: str = "Accepted"


@dataclass
class World:
    """A marketplace with its clock, and the people in front of it."""

    round: Round
    draw: random.Random
    clock: datetime
    workers: list[str] = field(default_factory=lambda: [f"A{n}WORKER" for n in range(5)])
    acceptances: list[Acceptance] = field(default_factory=list)
    events: list[dict[str, str]] = field(default_factory=list)
    responses: dict[int, Any] = field(default_factory=dict)

    def submitted_assignment(self, assignment_id: str) -> mturk.AssignmentFacts | None:
        for acceptance in self.acceptances:
            frame = acceptance.frame
            if frame.assignment_id == assignment_id and acceptance.status == "Submitted":
                return mturk.AssignmentFacts(
                    assignment_id, frame.worker_id, frame.hit_id, "Submitted"
                )
        return None

    # --- what may happen ------------------------------------------------------------------------

    def accept(self) -> None:
        taken = {a.frame.hit_id for a in self.acceptances if a.status in {"Accepted", "Submitted"}}
        published = self.round.slots.exclude(hit_id="").values_list("hit_id", flat=True)
        free = sorted(set(published) - taken)
        if not free:
            return
        self.clock += timedelta(seconds=1)
        frame = Frame(
            assignment_id=secrets.token_hex(15).upper(),
            worker_id=self.draw.choice(self.workers),
            hit_id=self.draw.choice(free),
            submit_origin="http://localhost:8000",
            deadline=(self.clock + LIMIT).replace(microsecond=0),
        )
        self.acceptances.append(Acceptance(frame))

    def open(self) -> None:
        """The newest frames most of the time, an old tab now and then."""
        if not self.acceptances:
            return
        frame = self.draw.choice(self.acceptances[-6:]).frame
        participant = reservation.register_participant(round=self.round, worker_id=frame.worker_id)
        try:
            reservation.reserve_task(round=self.round, participant=participant, frame=frame)
        except reservation.NothingLeft:
            holds.hold_back(round=self.round, participant=participant)
        except reservation.StaleFrame:
            pass

    def write(self) -> None:
        if row := self._row():
            with contextlib.suppress(submission.AlreadySubmitted):
                submission.save_draft(assignment_id=row.pk, fields={"assertion": "x"})

    def answer(self) -> None:
        if row := self._row():
            with contextlib.suppress(submission.TooLate):
                submission.submit_response(assignment=row, answers=ANSWERS, cautions=[])

    def send_on(self) -> None:
        """The browser takes a committed response to the marketplace, in time or not."""
        if (row := self._row()) and Response.objects.filter(assignment=row).exists():
            self._submit(row.marketplace_id)

    def send_nothing(self) -> None:
        """A worker submits in the marketplace without having answered here."""
        if self.draw.random() < 0.2 and self.acceptances:
            self._submit(self.draw.choice(self.acceptances).frame.assignment_id)

    def give_back(self) -> None:
        held = [a for a in self.acceptances if a.status == "Accepted"]
        if held:
            acceptance = self.draw.choice(held)
            acceptance.status = "Returned"
            self._tell(acceptance, "AssignmentReturned")

    def pass_time(self) -> None:
        self.clock += timedelta(minutes=self.draw.choice([1, 5, 20]))
        for acceptance in self.acceptances:
            if acceptance.status == "Accepted" and acceptance.frame.deadline <= self.clock:
                acceptance.status = "Abandoned"
                self._tell(acceptance, "AssignmentAbandoned")

    def be_told(self) -> None:
        """Any event, now and then twice."""
        if not self.events:
            return
        event = self.draw.choice(self.events)
        if self.draw.random() < 0.8:
            self.events.remove(event)
        pk = settlement.receive_event(event)
        if pk is not None:
            settlement.confirm_response(pk)

    def beat(self) -> None:
        settlement.end_lapsed()
        settlement.confirm_waiting()
        settlement.apply_holds()
        for slot in Slot.objects.filter(round=self.round, hit_id=""):
            slot.hit_id = make.new_hit_id()
            slot.save()

    def extend(self) -> None:
        if self.draw.random() < 0.1 and self.round.slots.count() < 20:
            rounds.extend_round(round=self.round, overlap=1).delete()

    def settle(self) -> None:
        """Everything is told and long over."""
        self.clock += timedelta(hours=2)
        self.pass_time()
        self.draw.shuffle(self.events)
        while self.events:
            self.be_told()
        for _ in range(3):
            self.clock += timedelta(minutes=2)
            self.beat()

    # --- details --------------------------------------------------------------------------------

    def _row(self) -> Assignment | None:
        rows = list(Assignment.objects.filter(task__round=self.round).order_by("pk"))
        return self.draw.choice(rows) if rows else None

    def _submit(self, assignment_id: str) -> None:
        for acceptance in self.acceptances:
            if acceptance.frame.assignment_id != assignment_id:
                continue
            if acceptance.status == "Accepted" and acceptance.frame.deadline > self.clock:
                acceptance.status = "Submitted"
                self._tell(acceptance, "AssignmentSubmitted")

    def _tell(self, acceptance: Acceptance, kind: str) -> None:
        if self.draw.random() < 0.9:  # a tenth is lost on the way
            frame = acceptance.frame
            ids = {"HITId": frame.hit_id, "AssignmentId": frame.assignment_id}
            self.events.append({"EventType": kind, "WorkerId": frame.worker_id, **ids})

    # --- what must hold -------------------------------------------------------------------------

    def check(self) -> None:
        check_counts(self.round)
        rows = Response.objects.filter(assignment__task__round=self.round)
        now = dict(rows.values_list("pk", "answers"))
        assert self.responses.items() <= now.items(), "a response vanished or changed"
        self.responses = now
        for response in rows.filter(state=ResponseState.CONFIRMED).select_related("assignment"):
            facts = self.submitted_assignment(response.assignment.marketplace_id)
            assert facts is not None, "confirmed without the marketplace"

    def check_end(self) -> None:
        """Exactly what the marketplace took with a response counts, and nothing is in the air."""
        self.check()
        states = Counter(
            Response.objects.filter(assignment__task__round=self.round).values_list(
                "state", flat=True
            )
        )
        assert not states[ResponseState.SUBMITTED]
        taken = {a.frame.assignment_id for a in self.acceptances if a.status == "Submitted"}
        for response in Response.objects.select_related("assignment"):
            arrived = response.assignment.marketplace_id in taken
            assert arrived == (response.state == ResponseState.CONFIRMED)
        assert not Assignment.objects.filter(task__round=self.round, state="accepted").exists()
        assert not Hold.objects.filter(round=self.round, applied=False).exists()


ACTIONS: list[tuple[Callable[[World], None], int]] = [
    (World.accept, 5),
    (World.open, 8),
    (World.write, 3),
    (World.answer, 5),
    (World.send_on, 5),
    (World.send_nothing, 1),
    (World.give_back, 2),
    (World.pass_time, 2),
    (World.be_told, 5),
    (World.beat, 2),
    (World.extend, 1),
]


def check_counts(round: Round) -> None:
    for task in Task.objects.filter(round=round):
        live = task.assignments.filter(state__in=LIVE).count()
        assert task.taken == live, f"task {task.pk}: taken {task.taken}, live {live}"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_nothing_is_lost_or_counted_twice(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    round = make.make_round(stories=3, overlap=2, time_limit=LIMIT)
    world = World(round, random.Random(seed), timezone.now())
    monkeypatch.setattr(timezone, "now", lambda: world.clock)
    monkeypatch.setattr(mturk, "submitted_assignment", world.submitted_assignment)
    for name in ("grant_qualification", "revoke_qualification"):
        monkeypatch.setattr(mturk, name, lambda *ids: None)
    actions, weights = zip(*ACTIONS, strict=True)

    for _ in range(STEPS):
        action = world.draw.choices(actions, weights)[0]
        action(world)
        world.check()
    world.settle()
    world.check_end()

    assert world.responses


@pytest.mark.django_db(transaction=True)
def test_people_at_the_same_moment_leave_the_counts_right() -> None:
    """Ten threads open, write, answer, give back and are settled, on connections of their own."""
    round = make.make_round(stories=4, overlap=3)
    problems: list[BaseException] = []
    done: Counter[str] = Counter()

    def person(number: int) -> None:
        draw = random.Random(number)
        participant = make.make_participant(round, f"A{number}PERSON")
        try:
            for _ in range(TURNS):
                done[live_through(round, participant, draw)] += 1
        except BaseException as problem:
            problems.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=person, args=[n]) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    check_counts(round)
    assert done["answered"] and done["returned"]


def live_through(round: Round, participant: Any, draw: random.Random) -> str:
    """One acceptance from opening to its end. All slots are tried by all at once: few succeed."""
    slots = list(round.slots.order_by("pk"))
    deadline = timezone.now() + LIMIT + timedelta(seconds=draw.randrange(1000))
    frame = make.make_frame(draw.choice(slots), deadline=deadline)
    try:
        row = reservation.reserve_task(round=round, participant=participant, frame=frame)
    except (reservation.NothingLeft, reservation.StaleFrame) as refusal:
        return type(refusal).__name__
    try:
        submission.save_draft(assignment_id=row.pk, fields={"assertion": str(draw.random())})
    except submission.AlreadySubmitted:
        with_lock(lambda: occupancy.never_arrived(assignment=row), round)
        return "answered before"
    if draw.random() < 0.4:
        try:
            submission.submit_response(assignment=row, answers=ANSWERS, cautions=[])
        except submission.TooLate:
            return "pushed out"
        with_lock(lambda: occupancy.never_arrived(assignment=row), round)
        return "answered"
    occupancy.end_reservation(assignment=row, state=draw.choice(ENDED))
    return "returned"


def with_lock(action: Callable[[], object], round: Round) -> None:
    with transaction.atomic():
        occupancy.lock_round(round)
        action()
