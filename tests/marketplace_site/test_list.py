from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from marketplace.eligibility import APPROVED_COUNT, Requirement
from marketplace.models import HIT, Assignment, HITType, QualificationType, Worker
from marketplace.services.assignments import return_assignment
from tests.marketplace.factories import (
    make_accepted,
    make_hit,
    make_hit_type,
    make_requester,
    make_submitted,
    make_worker,
)
from tests.marketplace_site.pages import links_of, text_of
from tests.marketplace_site.people import make_signed_up

MANY = Requirement(APPROVED_COUNT, "GreaterThanOrEqualTo", (5000,))


def open_group(**fields: Any) -> HITType:
    hit_type = make_hit_type(**fields)
    make_hit(hit_type)
    hit_type.refresh_from_db()
    return hit_type


def took(hit_type: HITType, seconds: int) -> None:
    make_hit(hit_type)
    done = make_submitted(hit_type)
    accepted_at = timezone.now() - timedelta(seconds=seconds)
    Assignment.objects.filter(pk=done.pk).update(
        accepted_at=accepted_at, submitted_at=accepted_at + timedelta(seconds=seconds)
    )


def qualification(name: str) -> str:
    made = QualificationType.objects.create(requester=make_requester(), name=name, description="-")
    return made.qualification_type_id


@pytest.mark.django_db
def test_a_group_is_listed_with_pay_time_and_how_many_are_left(browser: Client) -> None:
    hit_type = open_group(reward="0.35", minutes=30)
    HITType.objects.filter(pk=hit_type.pk).update(available_count=1234)

    response = browser.get("/worker/")

    words = text_of(response)
    for expected in (hit_type.title, "$0.35", "30 minutes", "Left 1,234", hit_type.requester.name):
        assert expected in words
    assert f"/worker/groups/{hit_type.group_id}/" in links_of(response)


@pytest.mark.django_db
def test_typical_time_and_hourly_pay_show_once_enough_people_submitted(browser: Client) -> None:
    hit_type = open_group(reward="0.35")

    for seconds in (100, 110, 140, 900):
        took(hit_type, seconds)
    assert "hourly pay not known yet" in text_of(browser.get("/worker/"))
    took(hit_type, 126)

    words = text_of(browser.get("/worker/"))
    assert "about 2 min 5 s" in words
    assert "about $10.00 an hour" in words


@pytest.mark.django_db
def test_what_was_begun_before_says_nothing_of_how_long_it_takes(browser: Client) -> None:
    """The page of a returned task gives the text back, and the rest takes seconds."""
    hit_type = open_group(reward="0.35")
    for seconds in (124, 125, 126, 127, 128):
        took(hit_type, seconds)
    back = make_worker()
    for _ in range(2):
        make_hit(hit_type)
    return_assignment(assignment=make_accepted(hit_type, back))
    for seconds in (3, 900):
        done = make_submitted(hit_type, back)
        Assignment.objects.filter(pk=done.pk).update(
            submitted_at=done.accepted_at + timedelta(seconds=seconds)
        )

    (offer,) = browser.get("/worker/").context["page"]

    lengths = sorted(length.total_seconds() for length in offer.took)
    assert lengths == [124, 125, 126, 127, 128, 900]


@pytest.mark.django_db
def test_a_group_with_an_unmet_requirement_says_exactly_why(browser: Client) -> None:
    hit_type = open_group(
        requirements=(MANY, Requirement(qualification("Careful reader"), "Exists"))
    )

    response = browser.get("/worker/")

    assert hit_type.title in text_of(response)
    assert not response.context["page"].object_list
    assert response.context["closed"][0].reasons == [
        "For workers with at least 5,000 approved tasks; you have 0.",
        "For workers with the qualification “Careful reader”; you do not have it.",
    ]


@pytest.mark.django_db
def test_a_group_that_guards_discovery_is_nowhere_in_the_list(browser: Client) -> None:
    hidden = open_group(
        requirements=(
            Requirement(
                qualification("Proficient"),
                "Exists",
                actions_guarded="DiscoverPreviewAndAccept",
            ),
        )
    )

    response = browser.get("/worker/")

    assert hidden.title not in text_of(response)
    assert "No tasks are open to you right now" in text_of(response)


@pytest.mark.django_db
def test_what_one_is_working_on_comes_first_with_its_time(browser: Client, worker: Worker) -> None:
    hit_type = open_group()
    make_hit(hit_type)
    held = make_accepted(hit_type, worker)

    response = browser.get("/worker/")

    assert response.context["held"] == [held]
    assert f"/worker/assignments/{held.assignment_id}/" in links_of(response)
    assert "Nothing else is open to you right now" in text_of(response)


@pytest.mark.django_db
def test_someone_elses_work_is_not_in_my_list(browser: Client) -> None:
    held = make_accepted(open_group(), make_signed_up("ben"))

    assert held.assignment_id not in browser.get("/worker/").content.decode()


@pytest.mark.django_db
def test_a_group_that_one_has_done_wholly_says_so(browser: Client, worker: Worker) -> None:
    hit_type = make_hit_type()
    make_hit(hit_type, max_assignments=3)
    make_submitted(hit_type, worker)

    response = browser.get("/worker/")

    assert response.context["closed"][0].reasons == ["You have done all of these that are open."]


@pytest.mark.django_db
def test_a_returned_hit_is_open_again(browser: Client, worker: Worker) -> None:
    hit_type = open_group()
    return_assignment(assignment=make_accepted(hit_type, worker))

    assert [o.hit_type for o in browser.get("/worker/").context["page"]] == [hit_type]


@pytest.mark.django_db
def test_groups_that_ended_or_are_taken_are_not_listed(browser: Client) -> None:
    ended = open_group()
    HIT.objects.filter(hit_type=ended).update(expires_at=timezone.now())
    make_accepted(open_group(), make_signed_up("ben"))

    response = browser.get("/worker/")

    assert not response.context["page"].object_list
    assert not response.context["closed"]


@pytest.mark.django_db
def test_the_list_can_be_put_in_order(browser: Client) -> None:
    cheap, dear = open_group(reward="0.10"), open_group(reward="2.00")
    newest = open_group(reward="0.50")

    def order(query: str) -> list[HITType]:
        return [o.hit_type for o in browser.get(f"/worker/{query}").context["page"]]

    assert order("") == [newest, dear, cheap]
    assert order("?order=reward") == [dear, newest, cheap]
    assert order("?order=nonsense&page=99") == [newest, dear, cheap]


@pytest.mark.django_db
def test_long_lists_come_in_pages(browser: Client) -> None:
    requester = make_requester()
    for _ in range(21):
        open_group(requester=requester)

    assert len(browser.get("/worker/").context["page"]) == 20
    assert "Page 2 of 2" in text_of(browser.get("/worker/?page=2"))


@pytest.mark.django_db
def test_titles_and_descriptions_are_shown_as_text(browser: Client) -> None:
    hit_type = open_group()
    HITType.objects.filter(pk=hit_type.pk).update(
        title="<script>a()</script>", description="<img src=x onerror=a()>"
    )

    response = browser.get("/worker/")

    assert "<script>a()" not in response.content.decode()
    assert "<img" not in response.content.decode()
    assert "<script>a()</script>" in text_of(response)


@pytest.mark.django_db
def test_a_longer_list_takes_no_more_queries(browser: Client, worker: Worker) -> None:
    open_group(requirements=(MANY,))
    open_group()
    with CaptureQueriesContext(connection) as few:
        browser.get("/worker/")

    for _ in range(8):
        open_group(requirements=(MANY,))
        open_group()
    with CaptureQueriesContext(connection) as many:
        browser.get("/worker/")

    assert len(many) == len(few) <= 14
