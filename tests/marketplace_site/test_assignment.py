from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from marketplace.eligibility import APPROVED_COUNT, Requirement
from marketplace.frames import signature_of
from marketplace.models import Assignment, Worker
from marketplace.services.assignments import return_assignment, submit_assignment
from marketplace.services.reviews import approve_assignment, reject_assignment
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_submitted
from tests.marketplace_site.pages import posts_of, tags_of, text_of
from tests.marketplace_site.people import browser_of, make_signed_up


def accepted_by(worker: Worker, hits: int = 1) -> Assignment:
    hit_type = make_hit_type(reward="0.35")
    for _ in range(hits):
        make_hit(hit_type)
    return make_accepted(hit_type, worker)


def submitted_by(worker: Worker, hits: int = 1) -> Assignment:
    hit_type = make_hit_type(reward="0.35")
    for _ in range(hits):
        make_hit(hit_type)
    return make_submitted(hit_type, worker)


def let_lapse(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        deadline=timezone.now() - timedelta(seconds=1)
    )


def page(assignment: Assignment) -> str:
    return reverse("worker-assignment", args=[assignment.assignment_id])


def back(assignment: Assignment) -> str:
    return reverse("worker-return", args=[assignment.assignment_id])


def next_one(assignment: Assignment) -> str:
    return reverse("worker-accept", args=[assignment.hit.hit_type.group_id])


@pytest.mark.django_db
def test_what_to_do_where_the_frame_stays_empty_stands_there_without_scripts(
    browser: Client, worker: Worker
) -> None:
    text = text_of(browser.get(page(accepted_by(worker))))

    assert "If it does not come, reload this page. The task stays yours" in text


@pytest.mark.django_db
def test_the_frame_opens_the_requesters_page_with_signed_parameters(
    browser: Client, worker: Worker
) -> None:
    assignment = accepted_by(worker)

    response = browser.get(page(assignment))

    frame = tags_of(response, "iframe")[0]
    address = urlsplit(frame["src"])
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    assert f"{address.scheme}://{address.netloc}" == "https://tasks.example.org"
    assert query == {
        "round": "7",
        "x": "1",
        "assignmentId": assignment.assignment_id,
        "hitId": assignment.hit.hit_id,
        "workerId": worker.worker_id,
        "turkSubmitTo": "http://localhost:8000",
        "fabulaSignature": signature_of(assignment),
    }
    assert (frame["height"], frame["data-origin"]) == ("600", "https://tasks.example.org")
    assert "frame-src https://tasks.example.org " in response.headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_timer_and_return_are_outside_the_frame(browser: Client, worker: Worker) -> None:
    assignment = accepted_by(worker)

    response = browser.get(page(assignment))

    timer = next(t for t in tags_of(response, "span") if t.get("role") == "timer")
    assert datetime.fromisoformat(timer["data-deadline"]) == assignment.deadline
    assert back(assignment) in posts_of(response)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["worker-assignment", "worker-return"])
def test_nobody_elses_assignment_can_be_opened_or_returned(browser: Client, name: str) -> None:
    theirs = accepted_by(make_signed_up("ben"))
    address = reverse(name, args=[theirs.assignment_id])

    assert browser.get(address).status_code == 404
    assert browser.post(address).status_code == 404
    assert Client().post(address).headers["Location"].startswith("/worker/sign-in/")
    theirs.refresh_from_db()
    assert theirs.status == Assignment.Status.ACCEPTED


@pytest.mark.django_db
def test_who_submits_while_somebody_else_has_signed_in_reads_that_it_counts(
    browser: Client,
) -> None:
    """Two people share a browser: the page around the frame is by now that of the other."""
    theirs = accepted_by(make_signed_up("ben"))
    before = browser.get(page(theirs))
    submit_assignment(assignment_id=theirs.assignment_id, fields=[])

    after = browser.get(page(theirs))

    assert (before.status_code, after.status_code) == (404, 404)
    for told in (before, after):
        assert "In this browser you are signed in as ada." in text_of(told)
        assert theirs.hit.hit_type.title not in text_of(told)
    assert "Its answers have arrived" not in text_of(before)
    assert "Its answers have arrived, and they count" in text_of(after)


@pytest.mark.django_db
def test_after_a_submit_the_page_offers_the_next_one(browser: Client, worker: Worker) -> None:
    assignment = submitted_by(worker, hits=2)

    response = browser.get(page(assignment))

    words = text_of(response)
    assert "Thank you. Your answers are in." in words
    assert "decides about your $0.35" in words
    assert "Accept the next one" in words
    assert next_one(assignment) in posts_of(response)
    assert "autofocus" in next(
        b for b in tags_of(response, "button") if "button-primary" in b.get("class", "")
    )
    assert not tags_of(response, "iframe")


@pytest.mark.django_db
def test_after_the_last_one_the_page_offers_only_the_list(browser: Client, worker: Worker) -> None:
    assignment = submitted_by(worker)

    response = browser.get(page(assignment))

    assert "There are no more of these right now." in text_of(response)
    assert next_one(assignment) not in posts_of(response)


@pytest.mark.django_db
def test_when_the_group_closed_to_this_worker_meanwhile_the_page_says_why(
    browser: Client, worker: Worker
) -> None:
    few = Requirement(APPROVED_COUNT, "LessThan", (1,))
    hit_type = make_hit_type(requirements=(few,))
    make_hit(hit_type)
    make_hit(hit_type)
    assignment = make_submitted(hit_type, worker)
    approve_assignment(assignment=assignment, at=timezone.now())

    words = text_of(browser.get(page(assignment)))

    assert "fewer than 1 approved task; you have 1." in words


@pytest.mark.django_db
def test_an_approval_and_a_rejection_are_told_with_feedback_as_text(
    browser: Client, worker: Worker
) -> None:
    approved, rejected = submitted_by(worker), submitted_by(worker)
    approve_assignment(assignment=approved, at=timezone.now(), feedback="<b>Well done</b>")
    reject_assignment(assignment=rejected, at=timezone.now(), feedback="<script>x</script> Empty")

    good, bad = browser.get(page(approved)), browser.get(page(rejected))

    assert "Approved: $0.35 is yours" in text_of(good)
    assert "<b>Well done</b>" in text_of(good)
    assert "<b>Well" not in good.content.decode()
    assert "So the $0.35 is not paid." in text_of(bad)
    assert "<script>x</script> Empty" in text_of(bad)


@pytest.mark.django_db
def test_when_the_time_ran_out_the_page_says_so_noticed_before_or_not(
    browser: Client, worker: Worker
) -> None:
    assignment = accepted_by(worker)
    let_lapse(assignment)

    for status in (Assignment.Status.ACCEPTED, Assignment.Status.ABANDONED):
        Assignment.objects.filter(pk=assignment.pk).update(status=status)
        response = browser.get(page(assignment))

        assert "The time for this task ran out" in text_of(response)
        assert "does not count against you" in text_of(response)
        assert not tags_of(response, "iframe")


@pytest.mark.django_db
def test_returning_asks_first_and_then_frees_the_slot(browser: Client, worker: Worker) -> None:
    assignment = accepted_by(worker)

    assert "Return this task?" in text_of(browser.get(back(assignment)))
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.ACCEPTED
    response = browser.post(back(assignment), follow=True)

    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.RETURNED
    assert f"You returned “{assignment.hit.hit_type.title}”." in text_of(response)
    assert "You returned this task" in text_of(browser.get(page(assignment)))
    other = browser_of(make_signed_up("ben"))
    assert "/worker/assignments/" in other.post(next_one(assignment)).headers["Location"]


@pytest.mark.django_db
def test_returning_twice_changes_nothing(browser: Client, worker: Worker) -> None:
    assignment = accepted_by(worker)
    return_assignment(assignment=assignment)

    assert browser.post(back(assignment)).headers["Location"] == "/worker/"
    assert browser.get(back(assignment)).headers["Location"] == page(assignment)


@pytest.mark.django_db
def test_what_was_submitted_or_lapsed_cannot_be_returned(browser: Client, worker: Worker) -> None:
    submitted, lapsed = submitted_by(worker), accepted_by(worker)
    let_lapse(lapsed)

    assert browser.post(back(submitted)).headers["Location"] == page(submitted)
    assert browser.post(back(lapsed)).headers["Location"] == page(lapsed)

    submitted.refresh_from_db()
    lapsed.refresh_from_db()
    assert submitted.status == Assignment.Status.SUBMITTED
    assert lapsed.status == Assignment.Status.ACCEPTED
