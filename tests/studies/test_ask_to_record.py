"""Asking whether how a text comes to be may be recorded, and what is kept of the answer."""

import json
import logging
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies.frames import Frame
from studies.models import Assignment, Participant, Response, Round, Worker
from tests.studies import factories as make
from tests.studies.frames import address
from tests.studies.test_record_evidence import OTHER, sent, step

pytestmark = pytest.mark.django_db
QUESTION = "May we record how you write?"


@pytest.fixture
def round() -> Round:
    return make.make_round(make.make_study(records_process=True))


@pytest.fixture
def frame(round: Round) -> Frame:
    return make.make_frame(make.free_slot(round), worker_id="A1TESTWORKER0")


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def token_in(response: Any) -> str:
    found = re.search(r'name="token" value="([^"]+)"', response.content.decode())
    assert found, response.content
    return unescape(found.group(1))


def text_of(response: Any) -> str:
    return unescape(response.content.decode())


def choose(browser: Client, token: str, choice: str) -> Any:
    fields = {"token": token, "choice": choice}
    return browser.post(
        reverse("task-recording"), urlencode(fields), "application/x-www-form-urlencoded"
    )


def started(browser: Client, round: Round, frame: Frame, choice: str = "yes") -> str:
    """A worker who has answered the question; the token of their task page."""
    answered = choose(browser, token_in(browser.get(address(round, frame))), choice)
    return token_in(browser.get(answered["Location"]))


def draft(browser: Client, token: str, evidence: Any, revision: int = 1) -> Any:
    body = {"token": token, "fields": {"assertion": "x"}, "revision": revision}
    return browser.post(
        reverse("task-draft"), json.dumps(body | {"evidence": evidence}), "application/json"
    )


def submit(browser: Client, token: str, round: Round, **more: str) -> Response:
    fields = make.answers_for(round.tasks.all()[0].payload)
    answer = browser.post(reverse("task-submit"), {"token": token, **fields, **more})
    assert answer.status_code == 303
    return Response.objects.get()


def test_it_is_asked_once_before_the_first_task(
    browser: Client, round: Round, frame: Frame
) -> None:
    asked = browser.get(address(round, frame))
    assert QUESTION in text_of(asked)
    assert "Never recorded" in text_of(asked)
    assert make.SENTENCES[0] not in text_of(asked)

    answered = choose(browser, token_in(asked), "yes")

    assert answered.status_code == 303
    assert make.SENTENCES[0] in text_of(browser.get(answered["Location"]))
    assert make.SENTENCES[0] in text_of(browser.get(address(round, frame)))
    participant = Participant.objects.get()
    assert participant.recording_choice is True
    assert participant.recording_decided_at is not None


def test_a_no_opens_the_task_and_stores_nothing(
    browser: Client, round: Round, frame: Frame
) -> None:
    token = started(browser, round, frame, "no")
    page = text_of(browser.get(address(round, frame)))
    assert make.SENTENCES[0] in page
    assert "data-records-process" not in page
    assert "process_note" not in page

    assert draft(browser, token, sent(step1=step(keys=9))).status_code == 200
    response = submit(browser, token, round, process_note="I dictate.")

    assert Assignment.objects.get().evidence == {}
    assert response.evidence is None


def test_a_question_of_a_newer_version_is_asked_again(
    browser: Client, round: Round, frame: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = started(browser, round, frame)
    monkeypatch.setattr("studies.models.worker.RECORDING_VERSION", 2)
    monkeypatch.setattr("studies.services.recording.RECORDING_VERSION", 2)

    assert QUESTION in text_of(browser.get(address(round, frame)))
    draft(browser, token, sent(step1=step(keys=9)))

    assert Assignment.objects.get().evidence == {}


def test_a_study_can_leave_the_question_out(browser: Client) -> None:
    round = make.make_round(make.make_study(records_process=False))
    page = browser.get(address(round, make.make_frame(make.free_slot(round), worker_id="A1")))
    token = token_in(page)

    assert make.SENTENCES[0] in text_of(page)
    assert "Recording" not in text_of(page)
    draft(browser, token, sent(step1=step(keys=9)))
    assert choose(browser, token, "yes")["Location"].startswith(reverse("task-send"))

    assert Participant.objects.get().recording_choice is None
    assert submit(browser, token, round).evidence is None


@pytest.mark.parametrize("choice", ["", "maybe", "YES"])
def test_no_answer_is_no_consent(browser: Client, round: Round, frame: Frame, choice: str) -> None:
    token = token_in(browser.get(address(round, frame)))

    assert QUESTION in text_of(choose(browser, token, choice))

    draft(browser, token, sent(step1=step(keys=9)))
    assert Participant.objects.get().recording_choice is None
    assert Assignment.objects.get().evidence == {}


def test_the_answer_is_given_with_the_workers_own_token_only(
    browser: Client, round: Round, frame: Frame
) -> None:
    token = token_in(browser.get(address(round, frame)))
    Worker.objects.update(marketplace_id="A2SOMEBODYELSE")

    assert choose(browser, token, "yes").status_code == 403
    assert choose(browser, "forged", "yes").status_code == 403
    assert browser.get(reverse("task-recording"), {"token": token}).status_code == 403
    assert Participant.objects.get().recording_choice is None


def test_looking_at_the_question_changes_nothing(
    browser: Client, round: Round, frame: Frame
) -> None:
    token = started(browser, round, frame)

    shown = browser.get(reverse("task-recording"), {"token": token, "choice": "no"})

    assert "At present it is recorded." in text_of(shown)
    assert Participant.objects.get().recording_choice is True


def test_a_yes_changed_to_no_takes_back_what_is_not_submitted(
    browser: Client, round: Round, frame: Frame
) -> None:
    token = started(browser, round, frame)
    page = text_of(browser.get(address(round, frame)))
    assert f"{reverse('task-recording')}?token=" in page
    draft(browser, token, sent(step1=step(keys=9), note="I dictate."))
    assert Assignment.objects.get().evidence != {}

    choose(browser, token, "no")
    draft(browser, token, sent(step1=step(keys=12)), revision=2)

    assert Assignment.objects.get().evidence == {}
    assert submit(browser, token, round).evidence is None


def test_a_yes_changed_to_no_leaves_what_was_submitted(
    browser: Client, round: Round, frame: Frame
) -> None:
    token = started(browser, round, frame)
    draft(browser, token, sent(step1=step(keys=9)))
    submit(browser, token, round)

    choose(browser, token, "no")

    kept = Response.objects.get().evidence
    assert kept is not None
    assert kept["steps"] == {"1": step(keys=9)}


def test_totals_are_kept_by_page_and_frozen_with_the_response(
    browser: Client, round: Round, frame: Frame
) -> None:
    token = started(browser, round, frame)
    draft(browser, token, sent(step1=step(keys=5)), revision=1)
    draft(browser, token, sent(step1=step(keys=9, pastes=[30])), revision=2)
    draft(browser, token, sent(step1=step(keys=9, pastes=[30])), revision=2)
    draft(browser, token, sent(step1=step(keys=5)), revision=1)
    other_device = Client()
    elsewhere = token_in(other_device.get(address(round, frame)))
    draft(other_device, elsewhere, sent(OTHER, step1=step(keys=1), step4=step(away=2)))

    response = submit(browser, token, round, process_note="I translate.")

    assert response.evidence == {
        "version": 1,
        "pages": 2,
        "steps": {"1": step(keys=10, pastes=[30]), "4": step(away=2)},
        "note": "I translate.",
    }


def test_the_line_comes_back_with_the_page(browser: Client, round: Round, frame: Frame) -> None:
    token = started(browser, round, frame)
    draft(browser, token, sent(step1=step(), note='I "dictate" <b>.'))

    assert 'value="I "dictate" <b>."' in text_of(browser.get(address(round, frame)))
    refused = browser.post(reverse("task-submit"), {"token": token, "process_note": "Another."})

    assert refused.status_code == 422
    assert 'value="Another."' in text_of(refused)


@pytest.mark.parametrize(
    "hostile",
    [
        "text",
        [],
        7,
        {"page": "x"},
        sent(step1=step(keys=-1)),
        sent(step1=step() | {"clipboard": "secret"}),
        {"page": "a" * 16, "steps": {"1": {"keys": "\x00"}}, "note": "\ud800"},
    ],
)
def test_hostile_evidence_blocks_neither_draft_nor_response(
    browser: Client,
    round: Round,
    frame: Frame,
    hostile: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    token = started(browser, round, frame)
    draft(browser, token, sent(step1=step(keys=9)))

    with caplog.at_level(logging.WARNING, "studies.services.recording"):
        assert draft(browser, token, hostile, revision=2).status_code == 200
    assert draft(browser, token, sent(step1=step(keys=10)), revision=3).status_code == 200
    response = submit(browser, token, round, process_note="a\x00b")

    assert "is dropped" in caplog.text
    assert "secret" not in caplog.text
    assert response.evidence == {"version": 1, "unreadable": True, "note": "a\ufffdb"}
    assert Assignment.objects.get().draft["fields"] == {"assertion": "x"}


def test_a_choice_is_whole_in_the_database_or_not_there(round: Round) -> None:
    participant = make.make_participant(round)
    half = {"recording_agreed": True, "recording_decided_at": timezone.now()}

    with (
        pytest.raises(IntegrityError, match="participant_recording_choice_whole"),
        transaction.atomic(),
    ):
        Participant.objects.filter(pk=participant.pk).update(**half)
