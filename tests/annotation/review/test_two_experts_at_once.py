"""Experts, tabs and drawings at the same moment: no place is given twice, none is lost."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Draw, Pick, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.review import adjudication, queue
from annotation.review.deciding import NotYours
from annotation.review.drawing import top_up_samples
from tests.annotation.review.factories import (
    CORRECT,
    judge,
    make_reviewed_round,
    make_reviewer,
)

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*actions: Callable[[], object]) -> list[object]:
    """Each on a thread and a connection of its own, all let go at the same moment."""
    ready = threading.Barrier(len(actions))
    results: list[object] = [None] * len(actions)

    def run(place: int, action: Callable[[], object]) -> None:
        try:
            ready.wait(10)
            results[place] = action()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=item, daemon=True) for item in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return results


def beside(action: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            action()
        finally:
            connection.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def judge_all(expert: User, plan: ReviewPlan) -> list[int]:
    seen = []
    while (turn := queue.next_turn(reviewer=expert, study=plan.study)) is not None:
        queue.upcoming_turn(turn=turn, study=plan.study)
        judge(turn)
        seen.append(turn.contribution_id)
    return seen


def test_four_experts_share_the_places_out_exactly() -> None:
    plan, _workers = make_reviewed_round(each=40, double_share=Decimal("0.5"))
    top_up_samples(plan=plan)
    experts = [make_reviewer(plan.study) for _ in range(4)]

    seen = at_once(*(lambda expert=expert: judge_all(expert, plan) for expert in experts))

    lists = [one for one in seen if isinstance(one, list)]
    assert len(lists) == 4, seen
    assert all(len(one) == len(set(one)) for one in lists)
    judged = Counter(pk for one in lists for pk in one)
    assert judged == dict(Pick.objects.values_list("contribution", "experts"))
    assert all(taken == wanted for taken, wanted in Pick.objects.values_list("taken", "experts"))
    assert Verdict.objects.count() == Turn.objects.count() == 18


@pytest.mark.parametrize(("double_share", "is_left"), [(0, False), (1, True)])
def test_nobody_is_told_that_nothing_is_left_while_somebody_takes_a_place(
    double_share: int, is_left: bool
) -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(double_share))
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    got: list[Turn | None] = []

    with transaction.atomic():
        assert queue.next_turn(reviewer=one, study=plan.study) is not None
        second = beside(lambda: got.append(queue.next_turn(reviewer=other, study=plan.study)))
        second.join(0.5)
        assert not got
    second.join(10)

    assert [turn is not None for turn in got] == [is_left]
    assert Pick.objects.get().taken == 1 + is_left


def test_two_tabs_of_one_expert_take_one_place() -> None:
    plan, _workers = make_reviewed_round(each=10, double_share=Decimal(1))
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)

    tabs = at_once(*[lambda: queue.next_turn(reviewer=expert, study=plan.study)] * 4)

    assert len(set(tabs)) == 1
    assert Turn.objects.get() == tabs[0]
    assert sorted(Pick.objects.values_list("taken", flat=True)) == [0, 0, 1]


def test_one_expert_who_opens_what_is_laid_before_them_takes_at_most_one_place() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(1))
    top_up_samples(plan=plan)
    expert, pick = make_reviewer(plan.study), Pick.objects.get()

    at_once(
        lambda: queue.next_turn(reviewer=expert, study=plan.study),
        lambda: queue.open_single(reviewer=expert, contribution=pick.contribution),
    )

    turn = Turn.objects.get()
    assert Pick.objects.get().taken == (turn.source == ReviewSource.SAMPLE)
    judge(turn)
    assert Pick.objects.get().taken == 1


def test_two_drawings_at_once_draw_once() -> None:
    plan, _workers = make_reviewed_round(workers=2, each=10)

    drawn = at_once(*[lambda: top_up_samples(plan=plan).picks] * 3)

    assert sorted(drawn, key=str) == [0, 0, 6]
    assert (Draw.objects.count(), Pick.objects.count()) == (2, 6)


def test_a_turn_that_is_taken_up_again_while_it_lapses_has_one_holder() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(0))
    top_up_samples(plan=plan)
    one = make_reviewer(plan.study)
    for _ in range(5):
        queue.next_turn(reviewer=one, study=plan.study)
        Turn.objects.update(given_at=timezone.now() - timedelta(hours=1))

        turn, _ended = at_once(
            lambda: queue.next_turn(reviewer=one, study=plan.study), queue.give_back_lapsed
        )

        assert isinstance(turn, Turn) or turn is None, turn
        assert Pick.objects.get().taken == Turn.objects.count()


def test_a_verdict_given_while_its_turn_lapses_is_kept_or_refused() -> None:
    plan, _workers = make_reviewed_round(each=10, double_share=Decimal(0))
    top_up_samples(plan=plan)
    one = make_reviewer(plan.study)
    for _ in range(3):
        turn = queue.next_turn(reviewer=one, study=plan.study)
        assert turn is not None
        Turn.objects.filter(pk=turn.pk).update(given_at=timezone.now() - timedelta(hours=1))

        verdict, _ended = at_once(lambda turn=turn: judge(turn), queue.give_back_lapsed)  # type: ignore[misc]

        assert isinstance(verdict, Verdict | NotYours), verdict
        kept = Verdict.objects.filter(contribution=turn.contribution_id).exists()
        assert kept == isinstance(verdict, Verdict)
        assert Pick.objects.get(contribution=turn.contribution_id).taken == kept


def test_sent_twice_at_once_a_verdict_is_kept_once() -> None:
    plan, _workers = make_reviewed_round(each=1)
    top_up_samples(plan=plan)
    turn = queue.next_turn(reviewer=make_reviewer(plan.study), study=plan.study)
    assert turn is not None

    given = at_once(*[lambda: judge(turn)] * 3)

    assert len(set(given)) == 1
    assert Verdict.objects.get() == given[0]


def test_a_dispute_that_two_settle_at_once_is_settled_once() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(1))
    top_up_samples(plan=plan)
    for correct in (True, False):
        turn = queue.next_turn(reviewer=make_reviewer(plan.study), study=plan.study)
        assert turn is not None
        judge(turn, correct=correct)
    [contribution] = adjudication.disputed(plan)
    others = [make_reviewer(plan.study) for _ in range(2)]

    settled = at_once(
        *(
            lambda other=other: adjudication.adjudicate(
                contribution=contribution, reviewer=other, **CORRECT
            )
            for other in others
        )
    )

    assert sorted(type(one).__name__ for one in settled) == ["HasJudged", "Verdict"]
    assert Verdict.objects.filter(source="adjudication").count() == 1
