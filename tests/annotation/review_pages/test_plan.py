"""The plan of a study's review: rule, sample, agreement, and the buttons of those who draw."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation.models import Pick, Pool, ReviewPlan, Verdict
from tests.annotation.review_pages.conftest import signed_in
from tests.annotation.review_pages.desk import make_desk, make_reviewer
from tests.annotation.review_pages.test_review import start
from tests.studies.factories import make_round, make_study
from tests.studies_admin.test_launch import filled_in


@pytest.fixture
def plan(db: None) -> ReviewPlan:
    return make_desk(workers=2, each=5, experts=2)


@pytest.fixture
def client(db: None) -> Client:
    return signed_in(User.objects.create_superuser("ada"))


def page_of(plan: ReviewPlan) -> str:
    return reverse("admin:annotation_reviewplan_change", args=[plan.pk])


def judge_all(plan: ReviewPlan, *verdicts: dict[str, str]) -> None:
    """Each expert gives the same verdict to everything."""
    for number, verdict in enumerate(verdicts):
        expert = signed_in(make_reviewer(plan.study, f"expert{number}"))
        for _ in range(10):
            assert expert.post(start(expert, plan), verdict).status_code == 303


def test_the_page_shows_rule_curve_and_progress(
    client: Client, plan: ReviewPlan, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(30):
        page = client.get(page_of(plan)).content.decode()

    assert "<path d=" in page
    assert "0 <small>of 20</small>" in page
    assert "10 for two experts" in page
    assert "No response has two verdicts yet." in page


def test_the_agreement_of_two_experts_is_reported(client: Client, plan: ReviewPlan) -> None:
    judge_all(plan, {"grade": "good"}, {"grade": "correct"})

    page = client.get(page_of(plan)).content.decode()

    assert "100.0%" in page
    assert "0.0%" in page


def test_topping_up_draws_what_came_since_and_again_nothing(
    client: Client, plan: ReviewPlan
) -> None:
    Pick.objects.filter(draw__number=1).first().delete()  # type: ignore[union-attr]
    button = reverse("admin:annotation_reviewplan_top_up", args=[plan.pk])

    first = client.post(button, follow=True).content.decode()
    second = client.post(button, follow=True).content.decode()

    assert "1 response drawn." in first
    assert "none was drawn" in second
    assert Pick.objects.count() == 10


def test_a_pool_is_drawn_of_what_has_a_verdict(client: Client, plan: ReviewPlan) -> None:
    judge_all(plan, {"grade": "good"}, {"grade": "good"})
    button = reverse("admin:annotation_reviewplan_draw_pool", args=[plan.pk])

    drawn = client.post(button, {"size": "4"}, follow=True).content.decode()
    refused = client.post(button, {"size": "11"}, follow=True).content.decode()
    Verdict.objects.all().delete()
    none = client.post(button, {"size": "1"}, follow=True).content.decode()

    assert Pool.objects.get().size == 4
    assert "By all: pool of 4" in drawn
    assert "Only 10 responses have a verdict that stands." in refused
    assert "No response has a verdict that stands yet" in none


@pytest.mark.parametrize("size", ["", "none", "0", "99999"])
def test_a_pool_of_nonsense_is_refused_with_words(
    client: Client, plan: ReviewPlan, size: str
) -> None:
    button = reverse("admin:annotation_reviewplan_draw_pool", args=[plan.pk])

    client.post(button, {"size": size})

    assert not Pool.objects.exists()


def test_buttons_are_posted(client: Client, plan: ReviewPlan) -> None:
    for name in ("top_up", "draw_pool"):
        address = reverse(f"admin:annotation_reviewplan_{name}", args=[plan.pk])
        assert client.get(address).status_code == 405


def test_a_plan_is_made_once_a_study(client: Client) -> None:
    study = make_study(title="Mornings")
    make_round(study)
    add = reverse("admin:annotation_reviewplan_add")

    client.post(add, {"study": study.pk})
    again = client.post(add, {"study": study.pk})

    assert ReviewPlan.objects.get().rounds.get().study == study
    assert again.status_code == 200


def test_parameters_are_changed_on_the_page(client: Client, plan: ReviewPlan) -> None:
    fields = {
        "rounds": [round.pk for round in plan.rounds.all()],
        "sample_share": "0.5",
        "slower_share": "0.2",
        "slower_plus": "10",
        "sample_most": "30",
        "double_share": "0.1",
        "min_responses": "20",
        "max_rejected_share": "0.25",
    }

    client.post(page_of(plan), fields)

    plan.refresh_from_db()
    assert (plan.sample_most, plan.min_responses) == (30, 20)


@pytest.mark.parametrize("share", ["30", "1.001", "-0.1", "0,3", "0.12345"])
def test_what_is_no_share_is_said_beside_the_field(
    client: Client, plan: ReviewPlan, share: str
) -> None:
    page = client.post(page_of(plan), {"sample_share": share, "sample_most": "0"})

    errors = page.context["adminform"].form.errors
    assert errors["sample_share"] == [
        "Write a share from 0 to 1, with three decimals at most, such as 0.3."
    ]
    assert "sample_most" in errors and "__all__" not in errors


def test_two_who_change_a_plan_at_once_lose_nothing_of_each_other(
    client: Client, plan: ReviewPlan
) -> None:
    page = client.get(page_of(plan))
    form = page.context["adminform"].form
    opened = {name: form[name].value() for name in form.fields}
    found = re.findall(r'name="(initial-\w+)" value="([^"]*)"', page.content.decode())
    opened |= dict(found)
    assert opened["initial-rounds"] == str(opened["rounds"][0])

    client.post(page_of(plan), opened | {"rounds": [], "sample_most": "30"})
    client.post(page_of(plan), opened | {"min_responses": "20"})

    plan.refresh_from_db()
    assert (plan.sample_most, plan.min_responses) == (30, 20)
    assert not plan.rounds.exists()


def test_a_round_of_another_study_cannot_be_put_under_review(
    client: Client, plan: ReviewPlan
) -> None:
    other = make_round(make_study())

    answer = client.post(page_of(plan), {"rounds": [other.pk], "sample_share": "0.5"})

    assert answer.status_code == 200
    assert other not in plan.rounds.all()


def test_whoever_launches_a_round_is_told_that_the_plan_does_not_hold_it(
    client: Client, plan: ReviewPlan
) -> None:
    address = reverse("admin:studies_study_launch", args=[plan.study_id])

    page = client.get(address, filled_in(step="review")).content.decode()
    pilot = client.get(address, filled_in(step="review", pilot="on")).content.decode()

    assert "has a review plan already" in page and page_of(plan) in page
    assert "has a review plan already" not in pilot
