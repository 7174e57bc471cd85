"""Who gets what, and what becomes of a place when things change in between."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotation.models import Pick, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.proficiency.rule import Evidence
from annotation.review import adjudication, deciding, queue
from annotation.review.agreement import expert_agreement
from annotation.review.drawing import top_up_samples
from annotation.review.outcome import Outcome
from annotation.review.outcomes import evidence_by_participant, settled_by_contribution
from annotation.review.pools import draw_pool
from studies.models import Contribution, ContributionStatus, ResponseState
from tests.annotation.review.factories import (
    CORRECT,
    WRONG,
    judge,
    make_reviewed_round,
    make_reviewer,
)

pytestmark = pytest.mark.django_db


def make_dispute() -> tuple[ReviewPlan, Contribution]:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(1))
    top_up_samples(plan=plan)
    for correct in (True, False):
        turn = queue.next_turn(reviewer=make_reviewer(plan.study), study=plan.study)
        assert turn is not None
        judge(turn, correct=correct)
    return plan, adjudication.disputed(plan).get()


def unsampled(plan: ReviewPlan) -> Contribution:
    return Contribution.objects.filter(pick__isnull=True).select_related("response")[0]


# --- outside the sample --------------------------------------------------------------------------


def test_what_was_judged_before_it_was_drawn_counts_once_it_is() -> None:
    plan, [worker] = make_reviewed_round(each=10, double_share=Decimal(0))
    expert = make_reviewer(plan.study)
    for contribution in Contribution.objects.select_related("response"):
        judge(queue.open_single(reviewer=expert, contribution=contribution), correct=False)
    assert evidence_by_participant(plan)[worker.pk] == Evidence(10, 3, 0, 0)

    top_up_samples(plan=plan)

    assert evidence_by_participant(plan)[worker.pk] == Evidence(10, 3, 3, 3)
    assert Verdict.objects.filter(source=ReviewSource.SAMPLE).count() == 3
    assert Verdict.objects.filter(replaced_at__isnull=False, source="single").count() == 3
    assert set(Pick.objects.values_list("taken", flat=True)) == {1}
    top_up_samples(plan=plan)
    assert Verdict.objects.count() == 13


def test_the_second_place_of_a_double_stays_free_for_somebody_else() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(1))
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    judge(queue.open_single(reviewer=one, contribution=unsampled(plan)))

    top_up_samples(plan=plan)

    assert queue.next_turn(reviewer=one, study=plan.study) is None
    turn = queue.next_turn(reviewer=other, study=plan.study)
    assert turn is not None
    judge(turn)
    assert expert_agreement(plan=plan).contributions == 1


def test_opening_a_sampled_one_takes_no_place_and_the_first_verdict_does() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(0))
    top_up_samples(plan=plan)
    pick = Pick.objects.get()
    one, other, third = (make_reviewer(plan.study) for _ in range(3))

    first, second = (
        queue.open_single(reviewer=expert, contribution=pick.contribution)
        for expert in (one, other)
    )
    top_up_samples(plan=plan)

    assert queue.open_single(reviewer=one, contribution=pick.contribution) == first
    assert queue.progress(reviewer=third, study=plan.study).left == 1
    judge(second, correct=False)
    assert queue.next_turn(reviewer=third, study=plan.study) is None
    judge(first)
    assert settled_by_contribution(plan)[pick.contribution_id].outcome == Outcome.REJECTED
    assert not adjudication.disputed(plan).exists()
    sources = Verdict.objects.order_by("pk").values_list("source", flat=True)
    assert list(sources) == [ReviewSource.SAMPLE, ReviewSource.SINGLE]


def test_what_is_gone_or_not_confirmed_cannot_be_opened() -> None:
    plan, _workers = make_reviewed_round(each=2)
    gone, waiting = Contribution.objects.select_related("response")
    gone.status = ContributionStatus.WITHDRAWN
    waiting.response.state = ResponseState.SUBMITTED

    for contribution in (gone, waiting):
        with pytest.raises(queue.NotReviewable):
            queue.open_single(reviewer=make_reviewer(plan.study), contribution=contribution)
    assert not Turn.objects.exists()


def test_two_who_differ_outside_the_sample_leave_it_to_a_third() -> None:
    plan, _workers = make_reviewed_round(each=1)
    contribution = unsampled(plan)
    for correct in (True, False):
        expert = make_reviewer(plan.study)
        judge(queue.open_single(reviewer=expert, contribution=contribution), correct=correct)

    assert adjudication.disputed(plan).get() == contribution
    adjudication.adjudicate(
        contribution=contribution, reviewer=make_reviewer(plan.study), **CORRECT
    )

    assert settled_by_contribution(plan)[contribution.pk].outcome == Outcome.CORRECT


# --- settling ------------------------------------------------------------------------------------


def test_whoever_settled_it_is_not_asked_again_and_their_word_stays() -> None:
    plan, contribution = make_dispute()
    third = make_reviewer(plan.study)
    held = queue.open_single(reviewer=third, contribution=contribution)
    adjudication.adjudicate(contribution=contribution, reviewer=third, **WRONG)
    draw_pool(plan=plan, size=1, seed=1)

    assert queue.next_turn(reviewer=third, study=plan.study) is None
    with pytest.raises(queue.NotReviewable):
        queue.open_single(reviewer=third, contribution=contribution)
    with pytest.raises(deciding.NotYours):
        judge(held)
    assert settled_by_contribution(plan)[contribution.pk].outcome == Outcome.REJECTED


def test_what_is_no_longer_disputed_is_not_settled() -> None:
    plan, contribution = make_dispute()
    wrong = Verdict.objects.get(judgement="reject")
    turn = Turn.objects.get(reviewer=wrong.reviewer)
    judge(turn)

    with pytest.raises(adjudication.HasJudged):
        adjudication.adjudicate(
            contribution=contribution, reviewer=make_reviewer(plan.study), **CORRECT
        )
    assert settled_by_contribution(plan)[contribution.pk].outcome == Outcome.CORRECT


def test_agreement_is_told_in_detail_too() -> None:
    plan, _workers = make_reviewed_round(
        each=2, double_share=Decimal(1), sample_share=Decimal(1), slower_share=Decimal(1)
    )
    top_up_samples(plan=plan)
    for grade in ("correct", "good"):
        expert = make_reviewer(plan.study)
        for _ in range(2):
            turn = queue.next_turn(reviewer=expert, study=plan.study)
            assert turn is not None
            deciding.record_verdict(turn=turn, judgement="correct", grade=grade)

    found = expert_agreement(plan=plan)

    assert (found.contributions, found.experts) == (2, 2)
    assert (found.percent.value, found.ac1.value) == (1, 1)
    assert found.detail_percent.value == 0
    # Two grades and four steps: by chance 2 * (1/2 * 1/2) / 5 alike.
    assert found.detail_ac1.value == pytest.approx(-0.1 / 0.9)


# --- places come free ----------------------------------------------------------------------------


def test_an_undone_verdict_that_lapses_leaves_its_place_to_another() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(0))
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=one, study=plan.study)
    assert turn is not None
    judge(turn)
    deciding.undo_verdict(reviewer=one, contribution=turn.contribution)
    Turn.objects.update(given_at=timezone.now() - timedelta(minutes=31))

    queue.give_back_lapsed()

    assert queue.next_turn(reviewer=other, study=plan.study) is not None
    assert Verdict.objects.get().replaced_at is not None


def test_what_is_put_off_is_held_for_a_week() -> None:
    plan, _workers = make_reviewed_round(each=1, double_share=Decimal(0))
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=one, study=plan.study)
    assert turn is not None
    queue.put_off(turn=turn)

    Turn.objects.update(
        given_at=timezone.now() - timedelta(days=6), deferred_at=timezone.now() - timedelta(days=6)
    )
    assert queue.give_back_lapsed() == 0
    Turn.objects.update(deferred_at=timezone.now() - timedelta(days=8))
    assert queue.give_back_lapsed() == 1

    assert queue.next_turn(reviewer=other, study=plan.study) is not None


def test_what_was_withdrawn_since_is_laid_before_nobody() -> None:
    plan, _workers = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None
    Contribution.objects.filter(pk=turn.contribution_id).update(status="withdrawn")

    following = queue.next_turn(reviewer=expert, study=plan.study)

    assert following is not None and following != turn
    assert queue.progress(reviewer=expert, study=plan.study).left == 2


def test_what_was_withdrawn_since_is_judged_no_more_and_its_verdicts_stay() -> None:
    plan, _workers = make_reviewed_round(each=10)
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    turn = queue.next_turn(reviewer=expert, study=plan.study)
    assert turn is not None
    before = judge(turn)
    Contribution.objects.filter(pk=turn.contribution_id).update(status="withdrawn")

    with pytest.raises(deciding.NotYours):
        judge(turn, correct=False)
    with pytest.raises(deciding.NotYours):
        deciding.undo_verdict(reviewer=expert, contribution=turn.contribution)

    assert Verdict.objects.get() == before
    assert before.replaced_at is None


def test_what_was_withdrawn_since_is_not_settled() -> None:
    plan, contribution = make_dispute()
    Contribution.objects.filter(pk=contribution.pk).update(status="withdrawn")

    assert not adjudication.disputed(plan).exists()
    with pytest.raises(adjudication.HasJudged):
        adjudication.adjudicate(
            contribution=contribution, reviewer=make_reviewer(plan.study), **CORRECT
        )


def test_looking_makes_no_plan() -> None:
    plan, _workers = make_reviewed_round(each=1)
    study, expert = plan.study, make_reviewer(plan.study)
    plan.rounds.clear()
    plan.delete()

    assert queue.next_turn(reviewer=expert, study=study) is None
    assert queue.progress(reviewer=expert, study=study) == queue.Progress(0, 0, 0, 0)
    assert not ReviewPlan.objects.exists()
