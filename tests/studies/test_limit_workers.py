"""Caps on one worker's tasks, and rounds that share no worker."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client

from studies import mturk
from studies.models import Assignment, AssignmentState, Hold, Participant, Round, RoundState
from studies.services import holds, occupancy, reservation, settlement
from studies.services.admission import Refusal
from studies.services.limits import limit_workers
from studies.services.plans import RoundRefused
from tests.studies import factories as make
from tests.studies.frames import address

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)
ADA = "A1ADA"


def take(round: Round, participant: Participant) -> Assignment:
    frame = make.make_frame(make.free_slot(round))
    return reservation.reserve_task(round=round, participant=participant, frame=frame)


def refusal(round: Round, participant: Participant) -> Refusal:
    with pytest.raises(reservation.NothingLeft) as refused:
        take(round, participant)
    return refused.value.refusal


def give_back(assignment: Assignment) -> None:
    assert occupancy.end_reservation(assignment=assignment, state=AssignmentState.RETURNED)


def two_rounds(**fields: Any) -> tuple[Round, Round]:
    study = make.make_study(**fields)
    return make.make_round(study, stories=4), make.make_round(study, stories=4)


# --- Caps -----------------------------------------------------------------------------------------


def test_a_worker_does_as_many_tasks_of_a_round_as_its_cap_says() -> None:
    round = make.make_round(stories=4, worker_cap=2)
    ada, ben = make.make_participant(round), make.make_participant(round)
    take(round, ada)
    last = take(round, ada)

    assert refusal(round, ada) == Refusal.ROUND_CAP
    take(round, ben)
    give_back(last)
    take(round, ada)
    assert refusal(round, ada) == Refusal.ROUND_CAP


def test_a_studys_cap_counts_the_tasks_of_all_its_rounds_and_of_no_other_study() -> None:
    one, two = two_rounds(worker_cap=2)
    elsewhere = make.make_round(stories=4)
    ada = make.make_participant(one, ADA)
    take(elsewhere, make.make_participant(elsewhere, ADA))
    take(one, ada)
    take(two, ada)

    assert refusal(one, ada) == refusal(two, ada) == Refusal.STUDY_CAP


def test_a_task_given_back_is_not_taken_up_again_above_the_cap() -> None:
    round = make.make_round(stories=4, worker_cap=1)
    ada = make.make_participant(round)
    kept = take(round, ada)
    Assignment.objects.filter(pk=kept.pk).update(draft_saved_at=kept.accepted_at)
    give_back(kept)
    other = make.make_frame(make.free_slot(round))
    round.tasks.filter(pk=kept.task_id).update(taken=2)
    reservation.reserve_task(round=round, participant=ada, frame=other)
    round.tasks.filter(pk=kept.task_id).update(taken=0)

    assert refusal(round, ada) == Refusal.ROUND_CAP


def test_opening_the_last_task_again_at_the_cap_shows_it() -> None:
    round = make.make_round(stories=4, worker_cap=1)
    ada = make.make_participant(round)
    frame = make.make_frame(make.free_slot(round))
    first = reservation.reserve_task(round=round, participant=ada, frame=frame)

    again = reservation.reserve_task(round=round, participant=ada, frame=frame)

    assert again.pk == first.pk


def test_whoever_accepts_anew_before_we_hear_of_the_return_is_not_counted_twice() -> None:
    round = make.make_round(stories=4, worker_cap=1)
    ada = make.make_participant(round)
    slot = make.free_slot(round)
    first = make.make_frame(slot)
    held = reservation.reserve_task(round=round, participant=ada, frame=first)
    later = first.deadline + (first.deadline - held.accepted_at)

    again = reservation.reserve_task(
        round=round, participant=ada, frame=make.make_frame(slot, deadline=later)
    )

    assert again.pk == held.pk


def test_the_database_refuses_a_cap_that_lets_nobody_work() -> None:
    round = make.make_round()

    for row in (round, round.study):
        with pytest.raises(IntegrityError), transaction.atomic():
            type(row).objects.filter(pk=row.pk).update(worker_cap=0)


# --- Rounds kept apart ----------------------------------------------------------------------------


def test_rounds_kept_apart_share_no_worker_whichever_came_first() -> None:
    study = make.make_study()
    one = make.make_round(study, stories=4)
    two = make.make_round(study, apart_from=[one])
    third = make.make_round(study)
    ada, ben = make.make_participant(one), make.make_participant(one)
    take(one, ada)
    mine = take(two, ben)

    assert refusal(two, ada) == refusal(one, ben) == Refusal.APART
    take(one, ada)
    take(third, ada)
    give_back(mine)
    take(one, ben)


def test_a_round_is_kept_apart_from_rounds_of_its_own_study_alone() -> None:
    one, other = make.make_round(), make.make_round()

    with pytest.raises(RoundRefused, match="one study"):
        make.make_round(one.study, apart_from=[other])
    for wrong in (other, one):
        with pytest.raises(RoundRefused, match="other rounds of its study"):
            limit_workers(round=one, worker_cap=None, apart_from=[wrong])


# --- At the same moment ---------------------------------------------------------------------------


def all_at_once(*actions: Callable[[], object]) -> list[object]:
    """What each came to, begun together, each on a connection of its own."""
    outcomes: list[object] = []
    gate = threading.Barrier(len(actions))

    def run(action: Callable[[], object]) -> None:
        try:
            gate.wait(10)
            outcomes.append(action())
        except reservation.NothingLeft as nothing:
            outcomes.append(nothing.refusal)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[action], daemon=True) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return outcomes


def taken_by(participant: Participant) -> int:
    return Assignment.objects.filter(participant=participant, state="accepted").count()


@at_once
def test_no_worker_passes_a_studys_cap_in_two_rounds_and_many_tabs_at_the_same_moment() -> None:
    one, two = two_rounds(worker_cap=3)
    ada = make.make_participant(one, ADA)
    frames = [(r, make.make_frame(slot)) for r in (one, two) for slot in r.slots.all()[:4]]

    outcomes = all_at_once(
        *(
            lambda r=r, f=f: reservation.reserve_task(round=r, participant=ada, frame=f)
            for r, f in frames
        )
    )

    assert outcomes.count(Refusal.STUDY_CAP) == 5
    assert taken_by(ada) == 3


@at_once
def test_no_worker_is_in_two_rounds_kept_apart_that_they_open_at_the_same_moment() -> None:
    for _ in range(5):
        one, two = two_rounds()
        two.apart_from.add(one)
        ada = make.make_participant(one)

        outcomes = all_at_once(lambda: take(one, ada), lambda: take(two, ada))  # noqa: B023

        assert outcomes.count(Refusal.APART) == 1
        assert taken_by(ada) == 1


@at_once
def test_a_reservation_waits_for_one_of_the_same_worker_in_another_round_and_counts_it() -> None:
    """The lock itself: without it this one would go ahead and pass the cap."""
    one, two = two_rounds(worker_cap=1)
    ada, ben = make.make_participant(one), make.make_participant(one)
    for_ada, for_ben = (make.make_frame(slot) for slot in two.slots.all()[:2])
    outcome: list[object] = []

    def take_another() -> None:
        outcome.extend(
            all_at_once(lambda: reservation.reserve_task(round=two, participant=ada, frame=for_ada))
        )

    with transaction.atomic():
        take(one, ada)
        waiting = threading.Thread(target=take_another, daemon=True)
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
        # While she waits, the round is not kept from others.
        all_at_once(lambda: reservation.reserve_task(round=two, participant=ben, frame=for_ben))
        assert waiting.is_alive()
    waiting.join(10)

    assert outcome == [Refusal.STUDY_CAP]
    assert (taken_by(ada), taken_by(ben)) == (1, 1)


# --- What the worker is told, and what the marketplace offers them --------------------------------


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    calls: list[tuple[str, str, str]] = []
    for name in ("grant", "revoke"):
        monkeypatch.setattr(
            mturk, f"{name}_qualification", lambda *ids, name=name: calls.append((name, *ids))
        )
    return calls


WORDS = {
    "round": "as many tasks of this round as one worker may",
    "study": "as many tasks of this study as one worker may",
    "apart": "people who have not worked in another one of this study",
    "taken": "is taken at the moment",
}


@pytest.mark.parametrize("why", WORDS)
def test_a_worker_with_nothing_left_reads_why_and_is_offered_no_more(
    why: str, told: list[tuple[str, str, str]]
) -> None:
    study = make.make_study(worker_cap=1 if why == "study" else None)
    other = make.make_round(study, stories=1)
    round = make.make_round(study, worker_cap=1 if why == "round" else None)
    ada = make.make_participant(round, ADA)
    take(other if why in {"study", "apart"} else round, ada)
    if why == "apart":
        round.apart_from.add(other)

    frame = make.make_frame(make.free_slot(round), worker_id=ADA)
    page = Client().get(address(round, frame))

    assert WORDS[why] in page.text
    assert "press Return" in page.text
    assert Hold.objects.get().wanted
    settlement.apply_holds()
    assert told == [("grant", round.hold_qualification_type_id, ADA)]


def test_whom_a_round_does_not_take_is_held_back_before_they_accept_in_vain(
    told: list[tuple[str, str, str]],
) -> None:
    study = make.make_study()
    first = make.make_round(study, stories=4)
    worked, new = make.make_participant(first), make.make_participant(first)
    done = take(first, worked)
    second = make.make_round(study, apart_from=[first], worker_cap=1)
    busy = take(second, new)

    settlement.apply_holds()
    assert {(hold.round, hold.participant) for hold in Hold.objects.all()} == {
        (second, worked),
        (first, new),
    }
    Assignment.objects.filter(pk=busy.pk).update(state=AssignmentState.SUBMITTED)
    settlement.apply_holds()
    assert Hold.objects.filter(round=second, participant=new, wanted=True).exists()

    give_back(done)
    settlement.apply_holds()

    again = (second.hold_qualification_type_id, worked.worker.marketplace_id)
    assert told.count(("grant", *again)) == told.count(("revoke", *again)) == 1
    settlement.apply_holds()
    assert len(told) == 4


def test_a_hold_is_lifted_when_a_cap_is_raised() -> None:
    round = make.make_round(stories=4, worker_cap=1)
    ada = make.make_participant(round)
    take(round, ada)
    holds.hold_back(round=round, participant=ada)
    assert holds.lift_holds(round=round) == 0

    limit_workers(round=round, worker_cap=2, apart_from=[])

    assert holds.lift_holds(round=round) == 1
    take(round, ada)


# --- By command -----------------------------------------------------------------------------------


def limits_of(round: Round) -> tuple[int | None, list[int]]:
    round.refresh_from_db()
    return round.worker_cap, [other.number for other in round.apart_from.order_by("number")]


def test_the_command_sets_and_lifts_limits(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = two_rounds()
    change = ("change_round", one.study.slug, "2", "limit")

    call_command(*change, "--per-worker=40")
    assert limits_of(two) == (40, [])
    call_command(*change, "--apart-from=1")
    assert limits_of(two) == (40, [1])
    assert "At most 40 of one worker. No worker of round 1." in capsys.readouterr().out
    assert limits_of(one) == (None, [2])
    call_command(*change, "--per-worker=0", "--apart-from=0")
    assert limits_of(two) == (None, [])


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ("pause", "--overlap=1"),
        ("limit", "--above-budget"),
        ("close", "--per-worker=0"),
        ("extend", "--apart-from=1"),
    ],
)
def test_an_option_of_another_change_is_refused(change: str, option: str) -> None:
    one, _two = two_rounds()
    name = option.partition("=")[0]

    with pytest.raises(CommandError, match=f"{name} is of “(extend|limit)” only"):
        call_command("change_round", one.study.slug, "2", change, option)

    assert limits_of(one) == (None, [])


def test_the_command_says_what_is_missing_or_wrong() -> None:
    one, two = two_rounds()
    change = ("change_round", one.study.slug, "2", "limit")

    for more, words in [
        ([], "Say --per-worker"),
        (["--apart-from=9"], "no round 9"),
        (["--apart-from=2"], "other rounds"),
        (["--per-worker=-1"], "from 1 to 1,000,000 tasks"),
        ([f"--per-worker={10**11}"], "from 1 to 1,000,000 tasks"),
    ]:
        with pytest.raises(CommandError, match=words):
            call_command(*change, *more)
    Round.objects.filter(pk=two.pk).update(state=RoundState.CLOSED)
    with pytest.raises(CommandError, match="closed"):
        call_command(*change, "--per-worker=1")
