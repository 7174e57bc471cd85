"""A third expert settles what two judged differently."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Judgement, ReviewPlan, ReviewSource, Verdict
from tests.annotation.review_pages.conftest import signed_in
from tests.annotation.review_pages.desk import make_desk, make_reviewer
from tests.annotation.review_pages.test_review import start


@pytest.fixture
def plan(db: None) -> ReviewPlan:
    """One response that two experts judged differently."""
    plan = make_desk(each=1, experts=2)
    for name, verdict in (
        ("bertrand", {"grade": "good"}),
        ("carla", {"step": "4", "reason": "other", "remark": "The car is gone."}),
    ):
        expert = signed_in(make_reviewer(plan.study, name))
        assert expert.post(start(expert, plan), verdict).status_code == 303
    return plan


def first_disputed(client: Client, plan: ReviewPlan) -> str:
    answer = client.get(reverse("admin:annotation_review_disputed", args=[plan.study_id]))
    return str(answer["Location"]) if answer.status_code == 302 else ""


def test_both_verdicts_are_shown_without_names(client: Client, plan: ReviewPlan) -> None:
    address = first_disputed(client, plan)

    page = client.get(address).content.decode()

    assert "Good</li>" in page
    assert "Rejected at Revised story: Something else" in page
    assert "The car is gone." in page
    assert "bertrand" not in page
    assert "carla" not in page


def test_the_third_verdict_settles_it_once(client: Client, plan: ReviewPlan) -> None:
    address = first_disputed(client, plan)

    for _ in range(2):
        assert client.post(address, {"grade": "correct"}).status_code == 303

    settled = Verdict.objects.get(source=ReviewSource.ADJUDICATION)
    assert settled.judgement == Judgement.CORRECT
    assert first_disputed(client, plan) == ""


def test_whoever_settled_it_can_change_it_and_the_earlier_verdict_is_kept(
    client: Client, plan: ReviewPlan
) -> None:
    address = first_disputed(client, plan)
    client.post(address, {"grade": "correct"})
    done = client.get(reverse("admin:annotation_review_disputed", args=[plan.study_id]))
    assert address in done.content.decode()

    assert "You judged this one: Correct" in client.get(address).content.decode()
    client.post(address, {"step": "4", "reason": "illogical"})

    kept = Verdict.objects.filter(source=ReviewSource.ADJUDICATION).order_by("pk")
    assert [(one.judgement, one.replaced_at is None) for one in kept] == [
        (Judgement.CORRECT, False),
        (Judgement.REJECT, True),
    ]
    stranger = signed_in(make_reviewer(plan.study, "dora"))
    answer = stranger.post(address, {"grade": "good"}, follow=True)
    assert "settled already" in answer.content.decode()
    assert kept.count() == 2


def test_half_a_verdict_settles_nothing(client: Client, plan: ReviewPlan) -> None:
    answer = client.post(first_disputed(client, plan), {"step": "4", "reason": "other"})

    assert answer.status_code == 422
    assert not Verdict.objects.filter(source=ReviewSource.ADJUDICATION).exists()


def test_who_judged_it_is_not_asked_and_cannot_settle_it(client: Client, plan: ReviewPlan) -> None:
    address = first_disputed(client, plan)
    judge = signed_in(User.objects.get(username="carla"))

    assert first_disputed(judge, plan) == ""
    answer = judge.post(address, {"step": "4", "reason": "illogical"}, follow=True)

    assert "not yours to settle" in answer.content.decode()
    assert not Verdict.objects.filter(source=ReviewSource.ADJUDICATION).exists()


def test_the_desk_says_how_many_there_are_to_settle(client: Client, plan: ReviewPlan) -> None:
    page = client.get(reverse("admin:annotation_review")).content.decode()

    assert reverse("admin:annotation_review_disputed", args=[plan.study_id]) in page
