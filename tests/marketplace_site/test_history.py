from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from marketplace.models import Assignment, HITType, Worker
from marketplace.services.assignments import return_assignment
from marketplace.services.bonuses import send_bonus
from marketplace.services.reviews import approve_assignment, reject_assignment
from marketplace.site.history import Earnings, earnings_of
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_submitted
from tests.marketplace_site.pages import text_of
from tests.marketplace_site.people import make_signed_up


def submitted(worker: Worker, reward: str = "0.35") -> Assignment:
    hit_type = make_hit_type(reward=reward)
    make_hit(hit_type)
    return make_submitted(hit_type, worker)


def give_bonus(assignment: Assignment, amount: str, reason: str) -> None:
    send_bonus(
        requester=assignment.hit.requester,
        assignment=assignment,
        amount_usd=Decimal(amount),
        reason=reason,
        at=timezone.now(),
    )


def shown(browser: Client, query: str = "") -> list[Assignment]:
    return list(browser.get(f"/worker/history/{query}").context["page"])


@pytest.mark.django_db
def test_without_work_the_page_says_what_will_be_here(browser: Client) -> None:
    assert "Nothing here yet" in text_of(browser.get("/worker/history/"))
    assert "None in this state" in text_of(browser.get("/worker/history/?show=approved"))


@pytest.mark.django_db
def test_each_assignment_shows_state_pay_and_feedback_in_words(
    browser: Client, worker: Worker
) -> None:
    approve_assignment(assignment=submitted(worker), at=timezone.now(), feedback="<i>Thanks</i>")
    reject_assignment(assignment=submitted(worker), at=timezone.now(), feedback="Copied")
    waiting = submitted(worker, "1,234.00".replace(",", ""))
    HITType.objects.filter(pk=waiting.hit.hit_type_id).update(title="<b>Bold</b>")

    response = browser.get("/worker/history/")

    words = text_of(response)
    for expected in ("Approved", "Rejected", "Waiting for a decision", "<i>Thanks</i>", "Copied"):
        assert expected in words
    assert "$1,234.00 if approved" in words
    assert "<b>Bold" not in response.content.decode()
    assert "<i>Thanks" not in response.content.decode()


@pytest.mark.django_db
def test_what_two_tasks_of_one_name_are_about_tells_them_apart(
    browser: Client, worker: Worker
) -> None:
    first, other = submitted(worker).hit.hit_type, submitted(worker).hit.hit_type
    words = {"description": "For the first round.", "requester": first.requester}
    HITType.objects.filter(pk=first.pk).update(title="Read a story", **words)
    assert "For the first round." not in text_of(browser.get("/worker/history/"))

    words["description"] = "For the second round."
    HITType.objects.filter(pk=other.pk).update(title="Read a story", **words)

    told = text_of(browser.get("/worker/history/"))
    assert "For the first round." in told
    assert "For the second round." in told


@pytest.mark.django_db
def test_earnings_are_the_sums_of_the_rows(worker: Worker) -> None:
    for reward in ("0.35", "0.10"):
        approve_assignment(assignment=submitted(worker, reward), at=timezone.now())
    reject_assignment(assignment=submitted(worker, "0.50"), at=timezone.now(), feedback="No")
    submitted(worker, "0.25")
    approve_assignment(assignment=submitted(make_signed_up("ben"), "9.00"), at=timezone.now())

    assert earnings_of(worker) == Earnings(
        approved_usd=Decimal("0.45"),
        bonus_usd=Decimal(0),
        waiting_usd=Decimal("0.25"),
        rejected_usd=Decimal("0.50"),
    )


@pytest.mark.django_db
def test_bonuses_are_shown_with_their_reason_and_summed(browser: Client, worker: Worker) -> None:
    assert "Bonuses" not in text_of(browser.get("/worker/history/"))
    rejected = submitted(worker)
    reject_assignment(assignment=rejected, at=timezone.now(), feedback="Too short")
    give_bonus(rejected, "1200.00", "<b>For the pilot</b>")
    give_bonus(submitted(worker), "0.05", "A careful ending")
    give_bonus(submitted(make_signed_up("ben")), "9.00", "Not yours")

    page = browser.get("/worker/history/")

    words = text_of(page)
    assert "Bonuses $1,200.05" in words
    for expected in ("+ $1,200.00 bonus", "<b>For the pilot</b>", "+ $0.05 bonus", "Too short"):
        assert expected in words
    assert "Not yours" not in words
    assert "<b>For" not in page.content.decode()
    one = browser.get(f"/worker/assignments/{rejected.assignment_id}/")
    assert "$1,200.00 bonus" in text_of(one)


@pytest.mark.django_db
def test_the_answer_to_a_rejection_follows_it_and_not_a_bonus(
    browser: Client, worker: Worker
) -> None:
    rejected = submitted(worker)
    reject_assignment(assignment=rejected, at=timezone.now(), feedback="Too short")
    give_bonus(rejected, "0.05", "For the ending")

    for path in ("history/", f"assignments/{rejected.assignment_id}/"):
        words = text_of(browser.get(f"/worker/{path}"))
        places = [words.index(said) for said in ("Too short", "Answer this", "For the ending")]
        assert places == sorted(places)


@pytest.mark.django_db
def test_rows_can_be_narrowed_to_one_state(browser: Client, worker: Worker) -> None:
    waiting = submitted(worker)
    hit_type = make_hit_type()
    make_hit(hit_type)
    given_back = return_assignment(assignment=make_accepted(hit_type, worker))

    assert shown(browser, "?show=waiting") == [waiting]
    assert shown(browser, "?show=not-submitted") == [given_back]
    assert shown(browser, "?show=nonsense&page=x") == [given_back, waiting]


@pytest.mark.django_db
def test_nobody_elses_work_is_shown(browser: Client) -> None:
    submitted(make_signed_up("ben"))

    assert shown(browser) == []


@pytest.mark.django_db
def test_a_long_history_comes_in_pages_of_a_fixed_number_of_queries(
    browser: Client, worker: Worker
) -> None:
    submitted(worker)
    with CaptureQueriesContext(connection) as few:
        browser.get("/worker/history/")
    for _ in range(25):
        submitted(worker)

    with CaptureQueriesContext(connection) as many:
        assert len(shown(browser)) == 25
    assert len(many) == len(few)
    assert len(shown(browser, "?page=2")) == 1
