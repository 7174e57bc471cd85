"""What a worker's browser does on the task page, request by request."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies.frames import Frame
from studies.models import (
    Assignment,
    AssignmentState,
    Contribution,
    Hold,
    Participant,
    Response,
    ResponseState,
    Round,
    Worker,
)
from tests.studies import factories as make
from tests.studies.frames import address, query_of

pytestmark = pytest.mark.django_db
WORKER = "A1TESTWORKER0"


@pytest.fixture
def browser() -> Client:
    """Checks CSRF as production does: pages in a frame must do without cookies."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture(autouse=True)
def no_marketplace(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    granted: list[tuple[str, str]] = []
    monkeypatch.setattr("studies.mturk.grant_qualification", lambda *ids: granted.append(ids))
    return granted


def new_frame(round: Round, worker: str = WORKER, **more: Any) -> Frame:
    return make.make_frame(make.free_slot(round), worker_id=worker, **more)


def page(response: Any) -> str:
    return unescape(response.content.decode())


def token_in(response: Any) -> str:
    found = re.search(r'name="token" value="([^"]+)"', response.content.decode())
    assert found, page(response)
    return unescape(found.group(1))


def draft(
    browser: Client, token: str, fields: dict[str, Any], revision: int = 1, **more: Any
) -> Any:
    body = json.dumps({"token": token, "fields": fields, "revision": revision, **more})
    return browser.post(reverse("task-draft"), body, content_type="application/json")


def submit(browser: Client, token: str, fields: dict[str, Any], confirmed: str = "") -> Any:
    data = {"token": token, "confirmed_cautions": confirmed, **fields}
    return browser.post(reverse("task-submit"), data)


def fields_for(round: Round) -> dict[str, Any]:
    return make.answers_for(round.tasks.order_by("position")[0].payload)


def test_a_first_visit_reserves_a_task_and_shows_its_story(browser: Client) -> None:
    round = make.make_round()

    response = browser.get(address(round, new_frame(round)))

    assert response.status_code == 200
    assert make.SENTENCES[0] in page(response)
    assert Assignment.objects.get().state == AssignmentState.ACCEPTED


def test_the_page_may_be_framed_by_the_marketplace_only(browser: Client) -> None:
    round = make.make_round()

    response = browser.get(address(round, new_frame(round)))

    policy = response["Content-Security-Policy"]
    assert "frame-ancestors http://localhost:8000;" in policy
    assert "script-src 'self';" in policy
    assert "X-Frame-Options" not in response
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    "change",
    [
        {"workerId": "A2SOMEBODYELSE"},
        {"assignmentId": "X" * 30},
        {"hitId": "Y" * 30},
        {"turkSubmitTo": "https://evil.example"},
        {"turkSubmitTo": "http://localhost:8000.evil.example"},
        {"turkSubmitTo": "http://localhost:8000/path"},
        {"fabulaSignature": ""},
        {"fabulaSignature": "99999999999.00"},
        {"fabulaSignature": "٣.00"},
    ],
)
def test_changed_parameters_are_refused_and_reserve_nothing(
    browser: Client, change: dict[str, str]
) -> None:
    round = make.make_round()
    query = query_of(new_frame(round)) | change

    response = browser.get(reverse("task", args=[round.public_id]), query)

    assert response.status_code == 403
    assert "This link is not valid" in page(response)
    assert not Assignment.objects.exists()


def test_a_preview_shows_an_example_and_saves_nothing(browser: Client) -> None:
    round = make.make_round()

    response = browser.get(
        reverse("task", args=[round.public_id]),
        {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H" * 30},
    )

    assert response.status_code == 200
    assert make.SENTENCES[0] not in page(response)
    assert not Assignment.objects.exists()
    assert not Participant.objects.exists()


def test_consent_is_asked_once_and_again_when_its_text_changes(browser: Client) -> None:
    study = make.make_study(consent_text="You agree to take part.")
    round = make.make_round(study)
    link = address(round, new_frame(round))

    asked = browser.get(link)
    assert "You agree to take part." in page(asked)
    assert not Assignment.objects.exists()
    action = re.search(r'action="([^"]+consent[^"]+)"', asked.content.decode())
    assert action
    agreed = browser.post(unescape(action.group(1)))

    assert agreed.status_code == 303
    assert make.SENTENCES[0] in page(browser.get(agreed["Location"]))
    study.consent_text = "You agree to something else."
    study.save()
    assert "something else" in page(browser.get(link))


def test_consent_cannot_be_given_for_somebody_else(browser: Client) -> None:
    round = make.make_round(make.make_study(consent_text="Agree?"))
    query = query_of(new_frame(round)) | {"workerId": "A2SOMEBODYELSE"}
    path = reverse("task-consent", args=[round.public_id], query=query)

    assert browser.post(path).status_code == 403
    assert not Participant.objects.exists()


def test_a_draft_comes_back_on_another_device(browser: Client) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    token = token_in(browser.get(link))

    saved = draft(browser, token, {"assertion": "Mira is expecting someone.", "justification": []})

    assert saved.status_code == 200
    assert "saved_at" in saved.json()
    assert "Mira is expecting someone." in page(Client().get(link))


def test_an_older_draft_that_arrives_late_changes_nothing(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    draft(browser, token, {"assertion": "newer"}, revision=20)

    late = draft(browser, token, {"assertion": "older"}, revision=10)

    assert late.status_code == 200
    assert Assignment.objects.get().draft["fields"] == {"assertion": "newer"}


def test_a_device_whose_clock_is_behind_saves_what_is_typed_on_it(browser: Client) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    ahead, behind = token_in(browser.get(link)), token_in(Client().get(link))
    draft(browser, ahead, {"assertion": "on the phone"}, revision=1_900_000_000_000)

    saved = draft(browser, behind, {"assertion": "on the laptop"}, revision=1_700_000_000_000)

    assert saved.status_code == 200
    assert Assignment.objects.get().draft["fields"] == {"assertion": "on the laptop"}


def test_a_save_that_replaces_what_another_open_page_saved_says_so(browser: Client) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    one, other = token_in(browser.get(link)), token_in(Client().get(link))

    first = draft(browser, one, {"assertion": "one"}, known_at="").json()
    over = draft(browser, other, {"assertion": "other"}, known_at="").json()
    again = draft(browser, other, {"assertion": "other!"}, 2, known_at=over["saved_at"]).json()
    back = draft(browser, one, {"assertion": "one"}, 2, known_at=first["saved_at"]).json()

    told = [answer["over_another"] for answer in (first, over, again, back)]
    assert told == [False, True, False, True]
    assert Assignment.objects.get().draft["fields"] == {"assertion": "one"}


def test_a_page_that_was_opened_with_the_newest_draft_is_not_told_of_another(
    browser: Client,
) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    draft(browser, token_in(browser.get(link)), {"assertion": "one"}, known_at="")
    opened = browser.get(link)
    [shown] = re.findall(r'data-saved-at="([^"]+)"', page(opened))

    saved = draft(browser, token_in(opened), {"assertion": "two"}, known_at=shown)

    assert saved.json()["over_another"] is False


def test_what_a_page_sends_as_it_closes_or_submits_is_no_other_tabs(browser: Client) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    closing, open_page = token_in(browser.get(link)), token_in(browser.get(link))
    draft(browser, closing, {"assertion": "last words"}, known_at="", leaving=True)
    assert draft(browser, open_page, {}, known_at="").json()["over_another"] is False
    again = token_in(submit(browser, open_page, fields_for(round) | {"assertion": ""}))

    assert draft(browser, again, {}, known_at="").json()["over_another"] is False


@pytest.mark.parametrize("known_at", ["soon", 7, ["soon"], "9999-99-99"])
def test_a_save_that_knows_of_no_moment_that_is_one_is_refused(
    browser: Client, known_at: Any
) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))

    assert draft(browser, token, {}, known_at=known_at).status_code == 400


def test_a_refused_submit_from_a_device_whose_clock_is_ahead_is_kept(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    draft(browser, token, {"assertion": "typed"}, revision=9_900_000_000_000)

    submit(browser, token, fields_for(round) | {"assertion": ""} | {"changed_assertion": "sent"})

    assert Assignment.objects.get().draft["fields"]["changed_assertion"] == "sent"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b'{"token": "x"', 400),
        (b'{"fields": {}, "revision": 1}', 400),
        (b'{"token": "forged", "fields": {}, "revision": 1}', 403),
        (b"[" * 100_000, 400),
        (b'{"token": "\\ud800:x:y", "fields": {}, "revision": 1}', 400),
        (b'{"token": "x", "fields": {}, "revision": 1, "x": "' + b"x" * 6_000_000 + b'"}', 413),
    ],
)
def test_a_draft_that_cannot_be_read_is_refused_in_words(
    browser: Client, body: bytes, status: int
) -> None:
    response = browser.post(reverse("task-draft"), body, content_type="application/json")

    assert response.status_code == status
    assert response.json()["error"].endswith(".")


@pytest.mark.parametrize("value", ["{}", '{"a": 1}', "[[1]]", '[{"a": 1}]', "[" * 900 + "]" * 900])
def test_a_draft_of_something_else_than_text_is_refused_in_words(
    browser: Client, value: str
) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    body = f'{{"token": "{token}", "revision": 1, "fields": {{"assertion": {value}}}}}'

    refused = browser.post(reverse("task-draft"), body, content_type="application/json")

    assert refused.status_code == 400
    assert refused.json()["error"].endswith(".")


def test_text_that_the_database_cannot_hold_is_still_saved(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))

    assert draft(browser, token, {"assertion": "a\x00b\ud800c"}).status_code == 200

    assert Assignment.objects.get().draft["fields"] == {"assertion": "a\ufffdb\ufffdc"}


def test_a_token_does_not_open_another_workers_assignment(browser: Client) -> None:
    round = make.make_round()
    mine = token_in(browser.get(address(round, new_frame(round))))
    other = Assignment.objects.get()
    Worker.objects.update(marketplace_id="A2SOMEBODYELSE")

    assert draft(browser, mine, {"assertion": "stolen"}).status_code == 403
    assert submit(browser, mine, fields_for(round)).status_code == 403
    other.refresh_from_db()
    assert other.draft == {}


def test_the_instructions_open_by_themselves_on_the_first_visit_only(browser: Client) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    first = browser.get(link)
    assert "data-first-visit" in page(first)

    draft(browser, token_in(first), {}, instructions_seen=True)

    assert "data-first-visit" not in page(browser.get(link))


def test_submit_commits_the_response_and_sends_the_browser_on(browser: Client) -> None:
    round = make.make_round()
    frame = new_frame(round)
    token = token_in(browser.get(address(round, frame)))

    done = submit(browser, token, fields_for(round))

    assert done.status_code == 303
    response = Response.objects.get()
    assert response.state == ResponseState.SUBMITTED
    assert response.answers["assertion"] == "The visitor is calm."
    assert response.answers["justification"] == [2]
    assert Contribution.objects.get().content == response.answers
    sent = page(browser.get(done["Location"]))
    assert 'action="http://localhost:8000/mturk/externalSubmit"' in sent
    assert frame.assignment_id in sent


def test_submitting_again_gives_the_same_response(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    submit(browser, token, fields_for(round))

    again = submit(browser, token, make.answers_for(round.tasks.all()[0].payload, marker="loud"))

    assert again.status_code == 303
    assert Response.objects.get().answers["assertion"] == "The visitor is calm."
    assert draft(browser, token, {"assertion": "x"}).status_code == 409


def test_errors_keep_what_was_typed_on_the_page_and_as_a_draft(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    fields = fields_for(round) | {"changed_assertion": "the visitor  IS calm."}

    refused = submit(browser, token, fields)

    assert refused.status_code == 422
    assert "the visitor  IS calm." in page(refused)
    assert not Response.objects.exists()
    assert Assignment.objects.get().draft["fields"]["changed_assertion"] == "the visitor  IS calm."


def test_a_caution_is_asked_once_then_stored(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    fields = fields_for(round) | {"assertion": make.SENTENCES[0]}

    asked = submit(browser, token, fields)
    assert asked.status_code == 200
    assert not Response.objects.exists()
    confirmed = re.search(r'name="confirmed_cautions" value="([^"]+)"', asked.content.decode())
    assert confirmed
    done = submit(browser, token, fields, confirmed=unescape(confirmed.group(1)))

    assert done.status_code == 303
    assert {c["code"] for c in Response.objects.get().cautions} >= {"repeats_story"}


def test_a_late_submit_is_told_the_truth_and_kept(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    Assignment.objects.update(deadline=timezone.now() - timedelta(seconds=1))

    late = submit(browser, token, fields_for(round))

    assert late.status_code == 409
    assert "time for this task has run out" in page(late)
    assert not Response.objects.exists()
    assert Assignment.objects.get().draft["fields"]["assertion"] == "The visitor is calm."


def test_what_is_typed_or_sent_after_a_return_is_kept_and_told_the_truth(browser: Client) -> None:
    round = make.make_round()
    token = token_in(browser.get(address(round, new_frame(round))))
    Assignment.objects.update(state=AssignmentState.RETURNED)

    typed = draft(browser, token, {"assertion": "typed after"})
    kept = Assignment.objects.get().draft["fields"]
    sent = submit(browser, token, fields_for(round))

    assert (typed.status_code, sent.status_code) == (409, 409)
    assert typed.json()["error"].startswith("You returned this task.")
    assert typed.json()["returned"] is True
    assert "You returned this task" in page(sent)
    assert "run out" not in page(sent)
    assert not Response.objects.exists()
    assert kept == {"assertion": "typed after"}
    assert Assignment.objects.get().draft["fields"]["assertion"] == "The visitor is calm."


def test_a_worker_whom_nothing_suits_is_told_and_held_back(
    browser: Client, no_marketplace: list[tuple[str, str]], django_capture_on_commit_callbacks: Any
) -> None:
    round = make.make_round(stories=1, overlap=2)
    browser.get(address(round, new_frame(round)))

    with django_capture_on_commit_callbacks(execute=True):
        response = browser.get(address(round, new_frame(round)))

    assert "taken at the moment" in page(response)
    assert Hold.objects.get().applied
    assert no_marketplace == [(round.hold_qualification_type_id, WORKER)]


def test_an_unknown_round_is_not_found(browser: Client) -> None:
    path = reverse("task", args=["00000000-0000-0000-0000-000000000000"])

    assert browser.get(path).status_code == 404


@pytest.mark.parametrize("name", ["task-submit", "task-draft"])
def test_nothing_is_changed_by_get(browser: Client, name: str) -> None:
    assert browser.get(reverse(name)).status_code == 405


def test_story_text_shows_as_text(browser: Client) -> None:
    study = make.make_study(title="<script>alert(1)</script>")
    nasty = ['<script>alert("x")</script>', "</script>\u2028<img src=x onerror=alert(1)>", "Two."]
    make.make_stories(study, 1, nasty)
    round = make.make_round(study)

    response = browser.get(address(round, new_frame(round)))

    body = response.content.decode()
    assert "<script>alert" not in body
    assert "<img src=x" not in body
    assert nasty[0] in unescape(body)


# --- when something is wrong, the frame still shows a sentence ---------------------------------


def may_be_framed(response: Any) -> bool:
    policy = response["Content-Security-Policy"]
    return "frame-ancestors http://localhost:8000;" in f"{policy};"


def test_a_wrong_method_is_answered_in_the_frame(browser: Client) -> None:
    answer = browser.get(reverse("task-submit"))

    assert answer.status_code == 405
    assert may_be_framed(answer)


def test_a_round_that_is_not_there_is_told_in_the_frame(browser: Client) -> None:
    answer = browser.get(reverse("task", args=["00000000-0000-0000-0000-000000000000"]))

    assert answer.status_code == 404
    assert may_be_framed(answer)
    assert "not known here" in page(answer)


@pytest.mark.parametrize(
    "sent",
    [{"assertion": "x" * 6_000_000}, {f"field_{n}": "x" for n in range(1100)}],
    ids=["too long", "too many fields"],
)
def test_a_submit_that_is_too_long_is_told_in_the_frame(
    browser: Client, sent: dict[str, str]
) -> None:
    body = urlencode(sent)
    form = "application/x-www-form-urlencoded"
    answer = browser.post(reverse("task-submit"), body, content_type=form)

    assert answer.status_code == 413
    assert may_be_framed(answer)
    assert "too long" in page(answer)


def test_while_the_database_is_away_the_worker_is_told_the_truth(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    round = make.make_round()
    link = address(round, new_frame(round))
    token = token_in(browser.get(link))

    def away(*arguments: object, **more: object) -> None:
        raise OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr("studies.services.submission.submit_response", away)
    monkeypatch.setattr("studies.services.submission.save_draft", away)
    monkeypatch.setattr("studies.services.reservation.reserve_task", away)

    saved = draft(browser, token, {"assertion": "x"})
    assert saved.status_code == 503
    assert saved.json()["error"].endswith(".")
    for answer in (browser.get(link), submit(browser, token, fields_for(round))):
        assert answer.status_code == 503
        assert may_be_framed(answer)
        assert "What was saved before is kept." in page(answer)
