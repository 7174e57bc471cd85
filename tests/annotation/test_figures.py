"""What review adds to the study's page."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation.models import ReviewPlan
from annotation.review import queue
from annotation.review.drawing import top_up_samples
from studies.figures.figure import Figure, shown_of
from studies.models import Study
from tests.annotation.review.factories import judge, make_reviewed_round, make_reviewer
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db


def figures_of(study: Study) -> dict[str, Figure]:
    return {figure.slug: figure for figure in shown_of(study).figures}


def test_review_is_shown_as_far_as_it_is() -> None:
    plan, participants = make_reviewed_round(workers=2, each=10, double_share=Decimal(0))
    top_up_samples(plan=plan)
    expert = make_reviewer(plan.study)
    for place in range(5):
        turn = queue.next_turn(reviewer=expert, study=plan.study)
        assert turn is not None
        judge(turn, correct=place != 0)

    figures = figures_of(plan.study)

    progress = {row["outcome"]: row["responses"] for row in figures["review"].rows}
    assert progress == {"correct": 4, "rejected": 1, "disputed": 0, "to be reviewed": 1}
    assert figures["review"].says == "5 of 6 sampled responses are settled."
    assert figures["reasons"].table == [["State: An action", 1]]
    assert {row["worker"] for row in figures["standings"].rows} == {
        participant.pseudonym for participant in participants
    }
    for row in figures["standings"].rows:
        assert row["low"] <= row["rejected"] <= row["high"]
    assert "at most 20% may be rejected" in figures["standings"].says
    ReviewPlan.objects.filter(pk=plan.pk).update(max_rejected_share=Decimal("0.125"))
    plan.rounds.clear()
    figures = figures_of(Study.objects.get(pk=plan.study_id))
    assert "at most 12.5% may be rejected" in figures["standings"].says
    assert figures["reasons"].table == figures["review"].table == []


def test_agreement_needs_two_verdicts_on_the_same() -> None:
    plan, _workers = make_reviewed_round(each=10, double_share=Decimal(1))
    top_up_samples(plan=plan)
    [tile] = [one for one in shown_of(plan.study).tiles if "AC1" in one.label]
    assert (tile.value, tile.more) == ("–", "known once two experts judged the same")

    experts = [make_reviewer(plan.study) for _ in range(2)]
    turn = queue.next_turn(reviewer=experts[0], study=plan.study)
    assert turn is not None
    judge(turn)
    judge(queue.open_single(reviewer=experts[1], contribution=turn.contribution))
    [tile] = [one for one in shown_of(plan.study).tiles if "AC1" in one.label]
    # One response has no spread to tell an interval from.
    assert (tile.value, tile.more) == ("1.00", "100% alike on 1 response")

    for expert in experts:
        while (turn := queue.next_turn(reviewer=expert, study=plan.study)) is not None:
            judge(turn)

    [tile] = [one for one in shown_of(plan.study).tiles if "AC1" in one.label]
    assert tile.value == "1.00"
    assert tile.more == "1.00 to 1.00; 100% alike on 3 responses"


def test_a_study_without_a_plan_shows_nothing_of_review() -> None:
    assert not {"review", "reasons", "standings"} & set(figures_of(make_study()))


def test_the_page_shows_them(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    plan, _workers = make_reviewed_round(workers=4, each=5)
    top_up_samples(plan=plan)
    client = Client()
    client.force_login(User.objects.create_superuser("ada", "", "a-long-password"))

    with django_assert_max_num_queries(30):
        page = client.get(reverse("admin:studies_study_figures", args=[plan.study.pk]))

    assert "Standing of the workers" in page.content.decode()
