"""What was taken out meanwhile is in no number of the review, on page and command alike."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory

from annotation.admin.review_plan_page import overview_of
from annotation.models import Pick, ReviewPlan
from annotation.releases.withdrawal import withdraw_participant
from annotation.review import pools, queue
from annotation.review.agreement import pool_agreement
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from annotation.review.summary import DOUBLE, summary_of
from studies.figures.figure import shown_of
from studies.models import Participant
from tests.annotation.review.factories import (
    judge,
    make_contribution,
    make_reviewed_round,
    make_reviewer,
)
from tests.studies.factories import make_round, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> tuple[ReviewPlan, list[Participant]]:
    plan, workers = make_reviewed_round(workers=2, each=10, double_share=Decimal(1))
    top_up_samples(plan=plan)
    return plan, workers


def judge_sample(plan: ReviewPlan, wrong: Participant) -> None:
    """Two experts differ on all that one worker wrote, and on nothing else."""
    for is_strict in (False, True):
        expert = make_reviewer(plan.study)
        while (turn := queue.next_turn(reviewer=expert, study=plan.study)) is not None:
            author = turn.contribution.response.assignment.participant
            judge(turn, correct=not (is_strict and author == wrong))


def page_of(plan: ReviewPlan) -> dict[str, Any]:
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_active=True)
    return overview_of(plan, request)


def progress_of(plan: ReviewPlan) -> dict[str, int]:
    [figure] = [one for one in shown_of(plan.study).figures if one.slug == "review"]
    return {row["outcome"]: row["responses"] for row in figure.rows}


def test_a_sample_whose_open_part_was_withdrawn_is_complete(
    made: tuple[ReviewPlan, list[Participant]],
) -> None:
    plan, [gone, _stays] = made
    withdraw_participant(participant=gone)
    judge_sample(plan, wrong=gone)

    sample = summary_of(plan).outcomes
    assert (sample["picks"], sample["doubles"]) == (3, 3)
    assert (sample["correct"], sample["open"]) == (3, 0)
    figures = page_of(plan)["figures"]
    assert (figures["drawn"], figures["judged"], figures["seats"]) == (3, 6, 6)
    assert progress_of(plan) == {"correct": 3, "rejected": 0, "disputed": 0, "to be reviewed": 0}


def test_what_was_withdrawn_after_its_verdicts_is_in_no_number_and_they_are_kept(
    made: tuple[ReviewPlan, list[Participant]],
) -> None:
    plan, [gone, _stays] = made
    judge_sample(plan, wrong=gone)
    before = summary_of(plan).agreements[DOUBLE]
    assert (before.contributions, before.percent.value) == (6, 0.5)

    withdraw_participant(participant=gone)

    after = summary_of(plan).agreements[DOUBLE]
    assert (after.contributions, after.percent.value) == (3, 1)
    assert (figures := page_of(plan)["figures"])["disputed"] == 0
    assert (figures["judged"], figures["seats"]) == (6, 6)
    [reasons] = [one for one in shown_of(plan.study).figures if one.slug == "reasons"]
    assert reasons.rows == []
    assert Pick.objects.filter(draw__participant=gone, contribution__verdicts__isnull=False)


def test_a_pool_agrees_on_what_is_still_there() -> None:
    plan, [gone, _stays] = make_reviewed_round(workers=2, each=10, double_share=Decimal(0))
    top_up_samples(plan=plan)
    one, other = make_reviewer(plan.study), make_reviewer(plan.study)
    while (turn := queue.next_turn(reviewer=one, study=plan.study)) is not None:
        judge(turn)
    pool = pools.draw_pool(plan=plan, size=6, seed=1)
    while (turn := queue.next_turn(reviewer=other, study=plan.study)) is not None:
        judge(turn, correct=turn.contribution.response.assignment.participant != gone)
    assert pool_agreement(pool=pool).percent.value == 0.5

    withdraw_participant(participant=gone)

    found = pool_agreement(pool=pool)
    assert (found.contributions, found.percent.value) == (3, 1)


def test_a_round_taken_off_the_plan_leaves_its_numbers(
    made: tuple[ReviewPlan, list[Participant]],
) -> None:
    plan, [gone, _stays] = made
    judge_sample(plan, wrong=gone)

    plan.rounds.clear()

    told = summary_of(plan)
    assert (told.outcomes["picks"], told.agreements[DOUBLE].contributions) == (0, 0)


def test_a_plan_without_rounds_says_that_nothing_is_known_yet() -> None:
    plan = ensure_plan(study=make_study())

    found = summary_of(plan).agreements[DOUBLE]

    assert found.detail_ac1.undefined_reason and found.ac1.undefined_reason
    assert {row.undefined for row in page_of(plan)["agreement"]} == {
        "No response has two verdicts yet."
    }
    assert "–" in {tile.value for tile in shown_of(plan.study).tiles}


def test_what_one_worker_lacks_another_does_not_make_up_for(
    made: tuple[ReviewPlan, list[Participant]],
) -> None:
    plan, [gone, stays] = made
    later = make_round(plan.study)
    plan.rounds.add(later)
    for _ in range(10):
        make_contribution(later, participant=stays)
    withdraw_participant(participant=gone)

    assert page_of(plan)["figures"]["missing"] == summary_of(plan).missing == 3
