"""What a worker says to a rejection, from the history page."""

import pytest
from django.test import Client
from django.utils import timezone

from marketplace.models import Assignment, Notification, Worker
from marketplace.services.assignments import return_assignment
from marketplace.services.reviews import approve_assignment, reject_assignment
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_submitted
from tests.marketplace_site.pages import focused_of, links_of, posts_of, text_of
from tests.marketplace_site.people import make_signed_up

pytestmark = pytest.mark.django_db
REASON = "The story <b>is</b> a copy."
TEXT = "I wrote it myself.\nPlease <i>look</i> again."


def rejected(worker: Worker) -> Assignment:
    hit_type = make_hit_type()
    make_hit(hit_type)
    done = make_submitted(hit_type, worker)
    return reject_assignment(assignment=done, feedback=REASON, at=timezone.now())


def address(assignment: Assignment) -> str:
    return f"/worker/assignments/{assignment.assignment_id}/answer/"


def reply_of(assignment: Assignment) -> str:
    assignment.refresh_from_db()
    return assignment.worker_reply


def test_a_worker_reads_the_reason_in_the_history_and_answers_it(
    browser: Client, worker: Worker
) -> None:
    one = rejected(worker)
    history = browser.get("/worker/history/")
    assert REASON in text_of(history)
    assert address(one) in links_of(history)

    page = browser.get(address(one))
    assert REASON in text_of(page)
    assert REASON not in page.content.decode()
    sent = browser.post(address(one), {"text": TEXT.replace("\n", "\r\n")}, follow=True)

    assert sent.redirect_chain == [("/worker/history/", 302)]
    words = text_of(sent)
    assert "Your answer is on its way to the requester." in words
    assert "You answered" in words
    assert " ".join(TEXT.split()) in words
    assert "<i>look" not in sent.content.decode()
    assert address(one) not in links_of(sent)
    assert reply_of(one) == TEXT
    # Nobody asked to be told.
    assert not Notification.objects.exists()


def test_the_page_of_the_assignment_leads_there_too_and_shows_what_was_said(
    browser: Client, worker: Worker
) -> None:
    one = rejected(worker)
    where = f"/worker/assignments/{one.assignment_id}/"
    assert address(one) in links_of(browser.get(where))

    browser.post(address(one), {"text": TEXT})

    shown = browser.get(where)
    assert " ".join(TEXT.split()) in text_of(shown)
    assert address(one) not in links_of(shown)


def test_a_second_answer_changes_nothing_and_is_told(browser: Client, worker: Worker) -> None:
    one = rejected(worker)
    browser.post(address(one), {"text": TEXT})

    again = browser.post(address(one), {"text": TEXT}, follow=True)
    other = browser.post(address(one), {"text": "And more."}, follow=True)

    assert "Your answer is on its way" in text_of(again)
    assert "You have answered this rejection already." in text_of(other)
    assert reply_of(one) == TEXT
    assert browser.get(address(one)).status_code == 302


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Write your answer here first."),
        (" \r\n ", "Write your answer here first."),
        ("é" * 1025, "This has 1,025 characters. Shorten it to 1,024."),
    ],
)
def test_an_answer_that_cannot_be_taken_is_said_and_kept_on_the_page(
    browser: Client, worker: Worker, text: str, words: str
) -> None:
    one = rejected(worker)

    page = browser.post(address(one), {"text": text})

    assert page.status_code == 422
    assert words in text_of(page)
    assert focused_of(page) == "text"
    assert page.context["form"]["text"].value() == text
    assert reply_of(one) == ""


def test_a_new_line_counts_as_one_character(browser: Client, worker: Worker) -> None:
    one = rejected(worker)

    browser.post(address(one), {"text": "a\r\n" * 511 + "bc"})

    assert len(reply_of(one)) == 1024


def test_only_a_rejection_is_answered(browser: Client, worker: Worker) -> None:
    hit_type = make_hit_type()
    make_hit(hit_type, max_assignments=3)
    waiting = make_submitted(hit_type, worker)
    approved = rejected(worker)
    approve_assignment(assignment=approved, at=timezone.now(), override_rejection=True)
    returned_type = make_hit_type()
    make_hit(returned_type)
    returned = return_assignment(assignment=make_accepted(returned_type, worker))

    for one in (waiting, approved, returned):
        assert browser.get(address(one)).status_code == 302
        refused = browser.post(address(one), {"text": TEXT}, follow=True)
        assert "Only a rejection can be answered" in text_of(refused)
        assert reply_of(one) == ""


def test_nobody_elses_rejection_is_shown_or_answered(browser: Client) -> None:
    theirs = rejected(make_signed_up("ben"))

    assert browser.get(address(theirs)).status_code == 404
    assert browser.post(address(theirs), {"text": TEXT}).status_code == 404
    assert reply_of(theirs) == ""
    signed_out = Client().post(address(theirs), {"text": TEXT})
    assert signed_out.status_code == 302
    assert "sign-in" in signed_out["Location"]


def test_the_form_is_guarded_against_other_sites(worker: Worker) -> None:
    one = rejected(worker)
    strict = Client(enforce_csrf_checks=True)
    assert worker.user is not None
    strict.force_login(worker.user)
    assert posts_of(strict.get(address(one)))

    assert strict.post(address(one), {"text": TEXT}).status_code == 403
    assert reply_of(one) == ""
