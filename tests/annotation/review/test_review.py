"""From the sample to what stands: the services, on rows."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Draw, Pick, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.proficiency.rule import Evidence
from annotation.review import adjudication, deciding, pools, queue
from annotation.review.agreement import expert_agreement, pool_agreement
from annotation.review.drawing import DrawSummary, top_up_samples
from annotation.review.outcome import Outcome
from annotation.review.outcomes import evidence_by_participant, settled_by_contribution
from studies.models import Contribution, ContributionStatus, Participant, Round
from tests.annotation.review.factories import (
    CORRECT,
    WRONG,
    judge,
    make_contribution,
    make_reviewed_round,
    make_reviewer,
)
from tests.studies.factories import make_round

pytestmark = pytest.mark.django_db


def test_a_sample_is_drawn_of_each_worker_and_topped_up_as_they_go_on() -> None:
    plan, [ada, ben] = make_reviewed_round(workers=2, each=10, double_share=Decimal(0))

    assert top_up_samples(plan=plan) == DrawSummary(participants=2, picks=6, doubles=0)
    assert top_up_samples(plan=plan) == DrawSummary(participants=0, picks=0, doubles=0)
    kept = set(Pick.objects.values_list("contribution", flat=True))

    second = more_work(plan.rounds.get(), ada, 10)
    plan.rounds.add(second)
    assert top_up_samples(plan=plan) == DrawSummary(participants=1, picks=3, doubles=0)

    picks = Pick.objects.filter(draw__participant=ada)
    assert kept < set(Pick.objects.values_list("contribution", flat=True))
    assert picks.count() == 6
    drawn = Draw.objects.filter(participant=ada).order_by("number")
    assert list(drawn.values_list("number", "submitted", "required")) == [(1, 10, 3), (2, 20, 6)]


def more_work(first: Round, participant: Participant, count: int) -> Round:
    second = make_round(first.study, overlap=1)
    for _ in range(count):
        make_contribution(second, participant=participant)
    return second


def test_a_tenth_is_judged_by_two_experts_and_neither_gets_it_twice() -> None:
    plan, _workers = make_reviewed_round(workers=4, each=10, double_share=Decimal("0.25"))
    assert top_up_samples(plan=plan) == DrawSummary(participants=4, picks=12, doubles=3)
    experts = [make_reviewer(plan.study) for _ in range(3)]

    seen = {expert.pk: judge_all(expert, plan) for expert in experts[:2]}

    first, second = (seen[expert.pk] for expert in experts[:2])
    assert len(first) == 12
    assert sorted(second) == sorted(
        Pick.objects.filter(experts=2).values_list("contribution", flat=True)
    )
    assert queue.next_turn(reviewer=experts[2], study=plan.study) is None
    assert Pick.objects.exclude(taken=0).count() == 12


def judge_all(expert: User, plan: ReviewPlan) -> list[int]:
    seen = []
    while (turn := queue.next_turn(reviewer=expert, study=plan.study)) is not None:
        judge(turn)
        seen.append(turn.contribution_id)
    assert len(seen) == len(set(seen))
    return seen


def test_each_reviewer_has_an_order_of_their_own() -> None:
    plan, _workers = make_reviewed_round(each=40, double_share=Decimal(1))
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)

    first, second = judge_all(one, plan), judge_all(other, plan)

    assert sorted(first) == sorted(second)
    assert first != second
    assert first != sorted(first)


def test_the_next_one_is_held_and_an_open_one_is_shown_again() -> None:
    plan, _workers = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)

    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None
    after = queue.upcoming_turn(turn=turn, study=plan.study)

    assert after is not None and turn != after
    assert queue.next_turn(reviewer=expert, study=plan.study) == turn
    assert queue.upcoming_turn(turn=turn, study=plan.study) == after
    judge(turn)
    assert queue.next_turn(reviewer=expert, study=plan.study) == after


def test_what_comes_next_is_the_same_when_it_is_asked_for_after_the_verdict() -> None:
    """A quick expert's verdict may come in before the page asks for the one to load ahead."""
    plan, _workers = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None
    judge(turn)

    following = queue.next_turn(reviewer=expert, study=plan.study)

    assert queue.upcoming_turn(turn=turn, study=plan.study) == following
    assert sum(Pick.objects.values_list("taken", flat=True)) == 2


def test_what_is_put_off_comes_back_when_asked_for() -> None:
    plan, _workers = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None

    queue.put_off(turn=turn)

    assert queue.next_turn(reviewer=expert, study=plan.study) != turn
    assert list(queue.put_off_turns(expert, plan.study)) == [turn]
    judge(turn)
    assert not queue.put_off_turns(expert, plan.study).exists()
    told = queue.progress(reviewer=expert, study=plan.study)
    assert (told.done, told.left, told.put_off, told.per_hour) == (1, 2, 0, 1)


def test_a_turn_that_lapsed_goes_to_somebody_else() -> None:
    plan, _workers = make_reviewed_round(each=1)
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=one, study=plan.study)
    assert turn is not None
    assert queue.next_turn(reviewer=other, study=plan.study) is None
    assert queue.give_back_lapsed() == 0

    Turn.objects.update(given_at=timezone.now() - timedelta(minutes=31))
    assert queue.give_back_lapsed() == 1

    assert queue.next_turn(reviewer=other, study=plan.study) is not None
    with pytest.raises(deciding.NotYours):
        judge(turn)


def test_a_changed_verdict_keeps_its_history_and_the_same_again_changes_nothing() -> None:
    plan, _workers = make_reviewed_round(each=1)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None

    first = judge(turn)
    assert judge(turn) == first
    second = judge(turn, correct=False)

    first.refresh_from_db()
    assert first.replaced_at is not None and second.replaced_at is None
    assert Verdict.objects.count() == 2


def test_an_undone_verdict_is_kept_and_its_turn_is_open() -> None:
    plan, _workers = make_reviewed_round(each=1)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None
    judge(turn)

    deciding.undo_verdict(reviewer=expert, contribution=turn.contribution)

    assert Verdict.objects.get().replaced_at is not None
    assert queue.next_turn(reviewer=expert, study=plan.study) == turn


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"judgement": ""}, "judgement"),
        ({"judgement": "correct"}, "grade"),
        ({"judgement": "correct", "grade": "splendid"}, "grade"),
        ({"judgement": "reject"}, "step"),
        ({"judgement": "reject", "step": 9}, "step"),
        ({"judgement": "reject", "step": 2}, "reason"),
        ({"judgement": "reject", "step": 2, "reason": "illogical"}, "reason"),
        ({"judgement": "reject", "step": 2, "reason": "other", "remark": "  "}, "remark"),
    ],
)
def test_half_a_verdict_names_what_is_missing(given: dict[str, Any], field: str) -> None:
    plan, _workers = make_reviewed_round(each=1)
    top_up_samples(plan=plan)
    turn = queue.next_turn(reviewer=make_reviewer(plan.study), study=plan.study)
    assert turn is not None

    with pytest.raises(deciding.VerdictIncomplete) as gap:
        deciding.record_verdict(turn=turn, **given)

    assert gap.value.field == field
    assert not Verdict.objects.exists()


def test_a_dispute_is_settled_by_somebody_who_has_not_judged() -> None:
    plan, [worker] = make_reviewed_round(each=1, double_share=Decimal(1))
    top_up_samples(plan=plan)
    experts = [make_reviewer(plan.study) for _ in range(3)]
    for expert, correct in zip(experts, (True, False), strict=False):
        turn = queue.next_turn(reviewer=expert, study=plan.study)
        assert turn is not None
        judge(turn, correct=correct)
    [contribution] = adjudication.disputed(plan)
    assert settled_by_contribution(plan)[contribution.pk].outcome == Outcome.DISPUTED
    assert evidence_by_participant(plan) == {worker.pk: Evidence(1, 1, 0, 0, disputed=1)}

    with pytest.raises(adjudication.HasJudged):
        adjudication.adjudicate(contribution=contribution, reviewer=experts[0], **CORRECT)
    adjudication.adjudicate(contribution=contribution, reviewer=experts[2], **WRONG)

    assert settled_by_contribution(plan)[contribution.pk].outcome == Outcome.REJECTED
    assert not adjudication.disputed(plan).exists()
    assert evidence_by_participant(plan) == {worker.pk: Evidence(1, 1, 1, 1)}


def test_a_review_outside_the_sample_counts_for_no_rate() -> None:
    plan, [worker] = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    picked = Pick.objects.values("contribution")
    other = Contribution.objects.exclude(pk__in=picked)[0]
    turn = queue.open_single(reviewer=make_reviewer(plan.study), contribution=other)
    judge(turn, correct=False)

    assert settled_by_contribution(plan)[other.pk].outcome == Outcome.REJECTED
    assert evidence_by_participant(plan) == {worker.pk: Evidence(10, 3, 0, 0)}


def test_what_was_withdrawn_is_neither_asked_for_nor_reviewed() -> None:
    plan, [worker] = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    judged = judge_all(expert, plan)
    Contribution.objects.filter(pk=judged[0]).update(status=ContributionStatus.WITHDRAWN)

    assert evidence_by_participant(plan)[worker.pk] == Evidence(9, 3, 2, 0)
    assert top_up_samples(plan=plan).picks == 1


def test_a_pool_holds_each_outcome_in_proportion_and_every_expert_judges_it() -> None:
    plan, _workers = make_reviewed_round(each=30, sample_share=Decimal(1), sample_most=30)
    plan.slower_share = Decimal(1)
    plan.double_share = Decimal(0)
    plan.save()
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    for place in range(30):
        turn = queue.next_turn(reviewer=one, study=plan.study)
        assert turn is not None
        judge(turn, correct=place >= 6)

    pool = pools.draw_pool(plan=plan, size=10, seed=3)

    settled = settled_by_contribution(plan)
    outcomes = [settled[one.pk].outcome for one in pool.contributions.all()]
    assert (outcomes.count(Outcome.REJECTED), outcomes.count(Outcome.CORRECT)) == (2, 8)
    assert queue.next_turn(reviewer=one, study=plan.study) is None
    while (turn := queue.next_turn(reviewer=other, study=plan.study)) is not None:
        assert turn.source == ReviewSource.POOL
        judge(turn)
    found = pool_agreement(pool=pool)
    assert (found.contributions, found.experts) == (10, 2)
    assert found.percent.value == pytest.approx(0.8)
    assert found.ac1.value == pytest.approx((0.8 - 0.18) / 0.82)
    with pytest.raises(pools.TooFewSettled) as few:
        pools.draw_pool(plan=plan, size=31, seed=3)
    assert few.value.found == 30


def test_agreement_without_a_pair_says_why() -> None:
    plan, _workers = make_reviewed_round(each=10)
    top_up_samples(plan=plan)

    found = expert_agreement(plan=plan)

    assert found.ac1.value is None
    assert found.ac1.undefined_reason


@pytest.mark.parametrize(
    ("size", "strata", "shares"),
    [
        (10, {"a": 5, "b": 5}, {"a": 5, "b": 5}),
        (3, {"a": 1, "b": 1}, {"a": 2, "b": 1}),
        (200, {"a": 333, "b": 667}, {"a": 67, "b": 133}),
    ],
)
def test_a_pool_is_shared_out(size: int, strata: dict[str, int], shares: dict[str, int]) -> None:
    assert pools.share_out(size, strata) == shares


def test_a_turn_outside_the_study_is_nobodys() -> None:
    plan, _workers = make_reviewed_round(each=1)
    other, _others = make_reviewed_round(each=1)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)

    assert queue.next_turn(reviewer=expert, study=other.study) is None
