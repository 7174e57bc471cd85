from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from marketplace.eligibility import APPROVED_COUNT, Requirement
from marketplace.models import HIT, Assignment, HITType, Worker
from marketplace.services.blocks import block_worker
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_submitted
from tests.marketplace_site.pages import posts_of, tags_of, text_of
from tests.marketplace_site.people import make_signed_up


def open_group(guarded: str | None = None) -> HITType:
    many = Requirement(APPROVED_COUNT, "GreaterThan", (9,), actions_guarded=guarded or "")
    hit_type = make_hit_type(requirements=(many,) if guarded else ())
    make_hit(hit_type)
    return hit_type


def page(hit_type: HITType) -> str:
    return reverse("worker-group", args=[hit_type.group_id])


def accept(hit_type: HITType) -> str:
    return reverse("worker-accept", args=[hit_type.group_id])


@pytest.mark.django_db
def test_the_preview_names_neither_worker_nor_assignment(browser: Client) -> None:
    hit_type = open_group()

    response = browser.get(page(hit_type))

    frame = tags_of(response, "iframe")[0]
    query = parse_qs(urlsplit(frame["src"]).query)
    assert query["assignmentId"] == ["ASSIGNMENT_ID_NOT_AVAILABLE"]
    assert "workerId" not in query
    assert "fabulaSignature" not in query
    assert frame["title"] == hit_type.title
    assert accept(hit_type) in posts_of(response)


@pytest.mark.django_db
def test_only_the_requesters_origin_and_ours_may_be_framed(browser: Client) -> None:
    policy = browser.get(page(open_group())).headers["Content-Security-Policy"]

    assert "frame-src https://tasks.example.org 'self' http://localhost:8000" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.django_db
def test_who_is_blocked_sees_the_task_and_why_it_is_closed(browser: Client, worker: Worker) -> None:
    hit_type = open_group()
    block_worker(requester=hit_type.requester, worker=worker, reason="Copies from the web")

    answers = [browser.get(page(hit_type)), browser.post(accept(hit_type))]

    assert [answer.status_code for answer in answers] == [200, 403]
    for answer in (*answers, browser.get("/worker/")):
        assert "The requester has closed their tasks to you." in text_of(answer)
        assert "Copies from the web" not in answer.content.decode()
    assert accept(hit_type) not in posts_of(answers[0])
    assert not worker.assignments.exists()


@pytest.mark.django_db
def test_accepting_takes_a_post_and_leads_to_the_assignment(
    browser: Client, worker: Worker
) -> None:
    hit_type = open_group()

    assert browser.get(accept(hit_type)).headers["Location"] == page(hit_type)
    assert not Assignment.objects.exists()
    location = browser.post(accept(hit_type)).headers["Location"]

    assignment = Assignment.objects.get(worker=worker)
    assert location == reverse("worker-assignment", args=[assignment.assignment_id])


@pytest.mark.django_db
def test_accepting_twice_leads_to_the_same_assignment(browser: Client) -> None:
    hit_type = open_group()
    make_hit(hit_type)

    first = browser.post(accept(hit_type)).headers["Location"]
    second = browser.post(accept(hit_type)).headers["Location"]

    assert first == second
    assert Assignment.objects.count() == 1
    assert "You are working on one of these." in text_of(browser.get(page(hit_type)))


@pytest.mark.django_db
def test_when_the_last_one_is_taken_the_page_says_so(browser: Client) -> None:
    hit_type = open_group()
    make_accepted(hit_type, make_signed_up("ben"))

    response = browser.post(accept(hit_type))

    assert response.status_code == 409
    assert "All of these are taken right now." in text_of(response)
    assert accept(hit_type) not in posts_of(response)


@pytest.mark.django_db
def test_a_closed_group_and_a_finished_one_are_told_apart(browser: Client) -> None:
    closed, finished = open_group(), open_group()
    HIT.objects.filter(hit_type=closed).update(expires_at=timezone.now() - timedelta(minutes=1))
    make_submitted(finished, make_signed_up("ben"))

    assert "has closed these for now" in text_of(browser.get(page(closed)))
    assert "All of these are done." in text_of(browser.get(page(finished)))


@pytest.mark.django_db
def test_an_unmet_requirement_is_explained_and_the_preview_stays(browser: Client) -> None:
    hit_type = open_group("Accept")

    for response in (browser.get(page(hit_type)), browser.post(accept(hit_type))):
        assert "more than 9 approved tasks; you have 0." in text_of(response)
        assert tags_of(response, "iframe")
        assert accept(hit_type) not in posts_of(response)
    assert response.status_code == 403
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_a_guarded_preview_is_not_shown(browser: Client) -> None:
    response = browser.get(page(open_group("PreviewAndAccept")))

    assert "you have 0." in text_of(response)
    assert not tags_of(response, "iframe")
    assert "frame-src 'none'" in response.headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_a_hidden_group_tells_who_has_its_address_only_why(browser: Client) -> None:
    hit_type = open_group("DiscoverPreviewAndAccept")

    for response in (browser.get(page(hit_type)), browser.post(accept(hit_type))):
        assert response.status_code == 403
        words = text_of(response)
        assert "more than 9 approved tasks; you have 0." in words
        assert hit_type.description not in words
        assert "$0.35" not in words
        assert not tags_of(response, "iframe")
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_who_holds_as_many_as_allowed_is_told_the_limit(
    browser: Client, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marketplace.limits.HELD_AT_ONCE", 1)
    make_accepted(open_group(), worker)

    response = browser.post(accept(open_group()))

    assert response.status_code == 409
    assert "You hold 1 task already. Finish or return it first." in text_of(response)


@pytest.mark.django_db
def test_an_unknown_group_is_not_found(browser: Client) -> None:
    assert browser.get("/worker/groups/3NOTHING/").status_code == 404
    assert browser.get("/worker/groups/%00/").status_code == 404
    assert browser.post("/worker/groups/3NOTHING/accept/").status_code == 404


@pytest.mark.django_db
def test_signed_out_people_cannot_accept(client: Client) -> None:
    hit_type = open_group()

    location = client.post(accept(hit_type)).headers["Location"]

    assert location == "/worker/sign-in/?next=%2Fworker%2F"
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_accepting_needs_the_token_of_our_own_form(worker: Worker) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert worker.user is not None
    strict.force_login(worker.user)

    assert strict.post(accept(open_group())).status_code == 403
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_the_wish_to_go_on_at_once_is_kept_with_the_form_that_shows_it(browser: Client) -> None:
    hit_type = open_group()

    browser.post(accept(hit_type), {"accepts_next_shown": "1", "accepts_next": "1"})
    assert browser.session["accept_next_at_once"] is True
    browser.post(accept(hit_type), {})
    assert browser.session["accept_next_at_once"] is True
    browser.post("/worker/preferences/", {"accepts_next_shown": "1"})

    assert browser.session["accept_next_at_once"] is False
    assert browser.get("/worker/preferences/").status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["group_id", "hit_type_id"])
def test_mturks_link_to_a_preview_leads_to_the_group(browser: Client, name: str) -> None:
    hit_type = open_group()

    response = browser.get("/mturk/preview", {"groupId": getattr(hit_type, name)})

    assert (response.status_code, response["Location"]) == (302, page(hit_type))
    assert hit_type.title in text_of(browser.get(response["Location"]))


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "?groupId=", "?groupId=3NOTHING"])
def test_a_link_to_the_preview_of_an_unknown_group_leads_nowhere(
    browser: Client, query: str
) -> None:
    assert browser.get(f"/mturk/preview{query}").status_code == 404
