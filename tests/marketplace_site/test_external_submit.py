from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from marketplace.frames import signature_of
from marketplace.models import Assignment
from marketplace.services.assignments import return_assignment
from marketplace.services.reviews import approve_assignment
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_worker
from tests.marketplace_site.pages import links_of, tags_of, text_of

ADDRESS = "/mturk/externalSubmit"


@pytest.fixture
def assignment(db: None) -> Assignment:
    hit_type = make_hit_type(reward="0.35")
    make_hit(hit_type)
    return make_accepted(hit_type)


@pytest.fixture
def frame() -> Client:
    """A browser's frame: no cookies, and the checks against forged requests are on."""
    return Client(enforce_csrf_checks=True)


def fields_of(assignment: Assignment, **more: str) -> dict[str, str]:
    return {"assignmentId": assignment.assignment_id, "answer": "She waits."} | more


def status_of(assignment: Assignment) -> str:
    assignment.refresh_from_db()
    return assignment.status


def test_answers_arrive_without_cookies_and_are_thanked_for(
    frame: Client, assignment: Assignment
) -> None:
    response = frame.post(ADDRESS, fields_of(assignment))

    assert response.status_code == 200
    assert status_of(assignment) == Assignment.Status.SUBMITTED
    assert "<QuestionIdentifier>answer</QuestionIdentifier>" in assignment.answer
    words = text_of(response)
    assert "Thank you. Your answers are in." in words
    assert "decides about your $0.35" in words
    assert not response.cookies


def test_the_answer_page_may_be_framed_by_the_worker_site_only(
    frame: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.WORKER_SITE_URL = "https://work.example.org"

    response = frame.post(ADDRESS, fields_of(assignment))

    policy = response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' https://work.example.org" in policy
    assert "X-Frame-Options" not in response.headers
    body = tags_of(response, "body")[0]
    assert body["data-submitted"] == assignment.assignment_id
    assert body["data-origin"] == "https://work.example.org"


def test_its_links_leave_the_frame_and_change_nothing(
    frame: Client, assignment: Assignment
) -> None:
    response = frame.post(ADDRESS, fields_of(assignment))

    page = f"http://localhost:8000/worker/assignments/{assignment.assignment_id}/"
    outward = [a for a in tags_of(response, "a") if a.get("class", "").startswith("button")]
    assert [a["href"] for a in outward] == [page, "http://localhost:8000/worker/"]
    assert {a["target"] for a in outward} == {"_top"}
    assert not tags_of(response, "form")


def test_the_same_answers_again_get_the_same_page(frame: Client, assignment: Assignment) -> None:
    first = frame.post(ADDRESS, fields_of(assignment))
    submitted_at = Assignment.objects.get(pk=assignment.pk).submitted_at

    second = frame.post(ADDRESS, fields_of(assignment, answer="Something else"))

    assert (second.status_code, second.content) == (200, first.content)
    assert status_of(assignment) == Assignment.Status.SUBMITTED
    assert assignment.submitted_at == submitted_at
    assert "She waits." in assignment.answer


def test_answers_sent_again_after_the_decision_say_so(
    frame: Client, assignment: Assignment
) -> None:
    frame.post(ADDRESS, fields_of(assignment))
    approve_assignment(assignment=assignment, at=timezone.now())

    response = frame.post(ADDRESS, fields_of(assignment))

    assert response.status_code == 200
    assert "the requester has decided about them" in text_of(response)


def test_worker_id_and_signature_are_checked_when_sent(
    frame: Client, assignment: Assignment
) -> None:
    fields = fields_of(
        assignment,
        workerId=assignment.worker.worker_id,
        fabulaSignature=signature_of(assignment),
    )

    assert frame.post(ADDRESS, fields).status_code == 200
    assert status_of(assignment) == Assignment.Status.SUBMITTED
    assert "fabulaSignature" not in assignment.answer


@pytest.mark.parametrize("change", ["signature", "deadline", "empty", "worker", "no such"])
def test_forged_parameters_are_as_unknown(
    frame: Client, assignment: Assignment, change: str
) -> None:
    signature = signature_of(assignment)
    forged = {
        "signature": {"fabulaSignature": signature[:-1] + ("0" if signature[-1] != "0" else "1")},
        "deadline": {"fabulaSignature": "9999999999." + signature.partition(".")[2]},
        "empty": {"fabulaSignature": ""},
        "worker": {"workerId": make_worker().worker_id},
        "no such": {"assignmentId": "3" + "A" * 29, "fabulaSignature": signature},
    }[change]

    response = frame.post(ADDRESS, fields_of(assignment, **forged))

    assert response.status_code == 404
    assert "This task is not known here" in text_of(response)
    assert "data-submitted" not in tags_of(response, "body")[0]
    assert status_of(assignment) == Assignment.Status.ACCEPTED


@pytest.mark.django_db
@pytest.mark.parametrize("assignment_id", ["", "3" + "B" * 29, "\x00", "’" * 400])
def test_an_unknown_assignment_is_told_what_to_do(frame: Client, assignment_id: str) -> None:
    response = frame.post(ADDRESS, {"assignmentId": assignment_id})

    assert response.status_code == 404
    assert "http://localhost:8000/worker/" in links_of(response)


def test_late_answers_are_gone_noticed_before_or_not(frame: Client, assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        deadline=timezone.now() - timedelta(seconds=1)
    )
    for status in (Assignment.Status.ACCEPTED, Assignment.Status.ABANDONED):
        Assignment.objects.filter(pk=assignment.pk).update(status=status)

        response = frame.post(ADDRESS, fields_of(assignment))

        assert response.status_code == 410
        assert "The time ran out before the answers arrived" in text_of(response)
        assert status_of(assignment) == status


def test_answers_of_a_returned_hit_are_a_conflict(frame: Client, assignment: Assignment) -> None:
    return_assignment(assignment=assignment)

    response = frame.post(ADDRESS, fields_of(assignment))

    assert response.status_code == 409
    assert "You returned this task" in text_of(response)
    assert status_of(assignment) == Assignment.Status.RETURNED


@pytest.mark.django_db
def test_a_preview_cannot_be_submitted(frame: Client) -> None:
    response = frame.post(ADDRESS, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "answer": "x"})

    assert response.status_code == 400
    assert "Accept the task first" in text_of(response)


def test_opening_the_address_submits_nothing(frame: Client, assignment: Assignment) -> None:
    response = frame.get(ADDRESS, fields_of(assignment))

    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert status_of(assignment) == Assignment.Status.ACCEPTED


def test_the_assignment_may_be_named_in_the_forms_address(
    frame: Client, assignment: Assignment
) -> None:
    response = frame.post(f"{ADDRESS}?assignmentId={assignment.assignment_id}", {"answer": "x"})

    assert response.status_code == 200
    assert status_of(assignment) == Assignment.Status.SUBMITTED


def test_answers_that_are_too_long_are_told_so(
    frame: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    data = f"assignmentId={assignment.assignment_id}&answer={'x' * 2000}"

    response = frame.post(ADDRESS, data, content_type="application/x-www-form-urlencoded")

    assert response.status_code == 413
    assert status_of(assignment) == Assignment.Status.ACCEPTED


def test_a_signed_in_browser_makes_no_difference(assignment: Assignment, browser: Client) -> None:
    response = browser.post(ADDRESS, fields_of(assignment))

    assert response.status_code == 200
    assert "Sign out" not in text_of(response)
    assert status_of(assignment) == Assignment.Status.SUBMITTED


def test_while_the_database_is_away_the_worker_is_told_to_try_again(
    frame: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(**fields: object) -> None:
        raise OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr("marketplace.site.external_submit.submit_assignment", away)

    response = frame.post(ADDRESS, fields_of(assignment))

    assert response.status_code == 503
    assert "submit again in a minute" in text_of(response)
    assert "frame-ancestors 'self' http://localhost:8000" in response["Content-Security-Policy"]


@pytest.mark.parametrize("content_type", ["multipart/form-data", "multipart/form-data; boundary=x"])
def test_a_form_that_cannot_be_read_is_told_in_the_frame(
    frame: Client, assignment: Assignment, content_type: str
) -> None:
    response = frame.post(ADDRESS, b"--y\r\nno form", content_type=content_type)

    assert response.status_code in {400, 404}
    assert "not taken" in text_of(response) or "Nothing was taken" in text_of(response)
    assert "frame-ancestors 'self' http://localhost:8000" in response["Content-Security-Policy"]
