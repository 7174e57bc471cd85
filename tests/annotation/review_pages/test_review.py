"""One response after the other: reading, judging, putting off, taking back."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.models import Pick, ReviewPlan, Turn, Verdict
from annotation.review.queue import give_back_lapsed
from studies.models import Participant
from tests.annotation.review_pages.conftest import signed_in
from tests.annotation.review_pages.desk import make_desk, make_reviewer

SCRIPT = {"HX-Request": "true"}
REJECTION = {"step": "1", "reason": "action"}


def start(client: Client, plan: ReviewPlan) -> str:
    """The address of the turn that is next."""
    answer = client.get(reverse("admin:annotation_review_next", args=[plan.study_id]))
    assert answer.status_code == 302
    return str(answer["Location"])


def turn_at(address: str) -> Turn:
    return Turn.objects.get(pk=int(address.rstrip("/").rpartition("/")[2]))


def current() -> list[Verdict]:
    return list(Verdict.objects.filter(replaced_at=None))


def test_the_page_shows_all_that_was_written_with_its_changes_warnings_and_process(
    client: Client, plan: ReviewPlan
) -> None:
    page = client.get(start(client, plan)).content.decode()

    assert re.search(r"The visitor is <del>calm</del> \d\.", page)
    assert re.search(r"The visitor is <ins>in a hurry</ins> \d\.", page)
    assert "A car <del>turned</del> into the yard." in page
    assert "A car <ins>raced</ins> into the yard." in page
    assert page.count('sentence is-ticked"') == 4
    assert "Sentence 4 looks like two sentences." in page
    assert "2 min 13 s, 92 key presses, pasted 212 + 18 characters" in page
    assert "I dictate, and a program types what I say." in page
    assert "0 of 4" in page


def test_it_tells_nothing_of_the_worker_or_of_the_order_of_the_responses(
    client: Client, plan: ReviewPlan
) -> None:
    address = start(client, plan)
    turn = turn_at(address)
    response = turn.contribution.response

    page = client.get(address).content.decode()

    worker = Participant.objects.get()
    assert worker.pseudonym not in page
    assert worker.worker.marketplace_id not in page
    assert response.assignment.marketplace_id not in page
    assert response.assignment.task.payload["story_id"] not in page
    assert f"/{turn.contribution_id}/" not in page.replace(address, "")


def test_every_choice_has_its_definition_beside_it(client: Client, plan: ReviewPlan) -> None:
    page = client.get(start(client, plan)).content.decode()

    for definition in (
        "Follows the instructions in all four steps.",
        "Correct, and it takes thought to infer",
        "It says what someone does, not what someone or something is like.",
        "The revised story says the changed state in so many words.",
    ):
        assert definition in page


def test_a_grade_is_kept_and_leads_to_the_next(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)

    answer = client.post(address, {"grade": "good", "seconds": "7.5"})

    (verdict,) = current()
    assert (verdict.judgement, verdict.grade, verdict.seconds) == ("correct", "good", 7.5)
    assert answer.status_code == 303
    assert answer["Location"] not in {address, ""}
    assert "1 of 4" in client.get(answer["Location"]).content.decode()


def test_a_script_is_told_the_address_alone(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)

    answer = client.post(address, {"grade": "good"}, headers=SCRIPT)

    assert (answer.status_code, answer.content) == (204, b"")
    assert turn_at(answer["HX-Redirect"]).pk != turn_at(address).pk


def test_the_one_after_is_here_before_it_is_asked_for(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)

    upcoming = client.get(f"{address}upcoming/", headers=SCRIPT).content.decode()
    answer = client.post(address, {"grade": "good"}, headers=SCRIPT)

    assert f'data-address="{answer["HX-Redirect"]}"' in upcoming
    assert "1 of 4" in upcoming
    assert reverse("admin:annotation_review_undo", args=[turn_at(address).pk]) in upcoming


def test_without_scripts_a_step_opens_its_reasons_by_a_link(
    client: Client, plan: ReviewPlan
) -> None:
    address = start(client, plan)

    page = client.get(address, {"step": "2"}).content.decode()

    shown = re.findall(r'data-reasons="(\d)"[^>]*?( hidden)?>', page)
    assert shown == [("1", " hidden"), ("2", ""), ("3", " hidden"), ("4", " hidden")]
    assert re.search(r"<div[^>]*data-choice hidden>", page)


def test_a_rejection_names_step_and_reason(client: Client, plan: ReviewPlan) -> None:
    client.post(start(client, plan), REJECTION)

    (verdict,) = current()
    assert (verdict.judgement, verdict.step, verdict.reason) == ("reject", 1, "action")


@pytest.mark.parametrize(
    "posted",
    [
        {},
        {"grade": "superb"},
        {"step": "1"},
        {"reason": "action"},
        {"step": "2", "reason": "action"},
        {"step": "9", "reason": "other", "remark": "No such step."},
        {"step": "4", "reason": "other", "remark": "  "},
    ],
)
def test_half_a_verdict_is_refused_on_the_page_and_nothing_is_kept(
    client: Client, plan: ReviewPlan, posted: dict[str, str]
) -> None:
    answer = client.post(start(client, plan), posted)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert current() == []


def test_something_else_keeps_its_words(client: Client, plan: ReviewPlan) -> None:
    client.post(
        start(client, plan), {"step": "4", "reason": "other", "remark": "The yard is a street."}
    )

    assert current()[0].remark == "The yard is a street."


def test_sent_twice_it_is_one_verdict(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)
    for _ in range(2):
        assert client.post(address, {"grade": "good"}).status_code == 303

    assert len(current()) == 1


def test_another_verdict_from_a_second_tab_replaces_the_first_and_both_are_kept(
    client: Client, plan: ReviewPlan
) -> None:
    address = start(client, plan)
    client.post(address, {"grade": "good"})

    assert "You judged this one: Good." in client.get(address).content.decode()
    client.post(address, REJECTION)

    assert [verdict.judgement for verdict in current()] == ["reject"]
    assert Verdict.objects.count() == 2


def test_put_off_it_waits_on_a_list_of_its_own(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)

    answer = client.post(f"{address}later/")

    assert answer["Location"] != address
    listed = client.get(reverse("admin:annotation_review_put_off", args=[plan.study_id]))
    assert address in listed.content.decode()
    assert client.post(address, {"grade": "good"}).status_code == 303
    assert len(current()) == 1


def test_undo_takes_the_last_verdict_back_and_shows_it_again(
    client: Client, plan: ReviewPlan
) -> None:
    address = start(client, plan)
    page = client.get(client.post(address, {"grade": "good"})["Location"]).content.decode()
    undo = reverse("admin:annotation_review_undo", args=[turn_at(address).pk])

    assert undo in page
    for _ in range(2):
        assert client.post(undo)["Location"] == address

    assert current() == []
    assert Verdict.objects.count() == 1
    assert "You judged" not in client.get(address).content.decode()


def test_a_turn_that_lapsed_and_went_to_another_says_so(client: Client, plan: ReviewPlan) -> None:
    address = start(client, plan)
    turn = turn_at(address)
    Turn.objects.update(given_at=timezone.now() - timedelta(hours=2))
    give_back_lapsed()
    other = signed_in(make_reviewer(plan.study, "bertrand"))
    for _ in range(4):
        assert other.post(start(other, plan), {"grade": "good"}).status_code == 303

    answer = client.post(address, REJECTION)

    assert answer.status_code == 404
    assert "goes to another expert" in answer.content.decode()
    assert not Verdict.objects.filter(reviewer=turn.reviewer).exists()


def test_a_response_that_was_withdrawn_is_shown_and_judged_no_more(
    client: Client, plan: ReviewPlan
) -> None:
    first = start(client, plan)
    client.post(first, {"grade": "good"})
    turn_at(first).contribution.response.contributions.update(status="withdrawn")

    answers = [client.get(first), client.post(first, REJECTION)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert "one that was withdrawn to nobody" in answers[0].content.decode()
    assert [verdict.judgement for verdict in current()] == ["correct"]
    undo = reverse("admin:annotation_review_undo", args=[turn_at(first).pk])
    assert undo not in client.get(start(client, plan)).content.decode()
    later = reverse("admin:annotation_review_later", args=[turn_at(first).pk])
    for answer in (client.post(undo), client.post(later)):
        assert answer.status_code == 404
        assert "This response is not before you" in answer.content.decode()


def test_a_turn_that_lapsed_and_that_nobody_took_is_judged_all_the_same(
    client: Client, plan: ReviewPlan
) -> None:
    address = start(client, plan)
    Turn.objects.update(given_at=timezone.now() - timedelta(hours=2))

    assert client.post(address, {"grade": "good"}).status_code == 303
    assert len(current()) == 1


def test_when_all_is_judged_the_page_says_so(client: Client, plan: ReviewPlan) -> None:
    for _ in range(4):
        client.post(start(client, plan), {"grade": "correct"})

    answer = client.get(reverse("admin:annotation_review_next", args=[plan.study_id]))

    assert answer.status_code == 200
    assert "Nothing left to review" in answer.content.decode()
    assert "You judged 4 responses of this study." in answer.content.decode()


def test_the_desk_shows_the_studies_that_one_reviews(client: Client, plan: ReviewPlan) -> None:
    make_desk()

    page = client.get(reverse("admin:annotation_review")).content.decode()

    assert page.count("Start reviewing") == 1


def test_a_page_sends_few_statements(
    client: Client, plan: ReviewPlan, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    address = start(client, plan)
    with django_assert_max_num_queries(18):
        client.get(address)


def test_judging_needs_the_token_of_the_form(plan: ReviewPlan, reviewer: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    address = start(client, plan)

    assert client.post(address, {"grade": "good"}).status_code == 403
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', client.get(address).content.decode())
    assert token is not None
    answer = client.post(address, {"grade": "good", "csrfmiddlewaretoken": token[1]})
    assert answer.status_code == 303


def test_nobody_takes_more_seats_than_there_are(client: Client, plan: ReviewPlan) -> None:
    client.get(f"{start(client, plan)}upcoming/")

    assert sum(Pick.objects.values_list("taken", flat=True)) == 2
