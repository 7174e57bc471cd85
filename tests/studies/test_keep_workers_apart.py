"""Ids, tokens and signatures of one worker, study or purpose open nothing of another."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from marketplace.site.links import personal_link
from studies.frames import TOKEN_SALT, Frame, Token, make_token
from studies.models import Assignment, AssignmentState, Response, Round
from studies.services.occupancy import end_reservation
from studies.services.recording import decide_recording
from tests.marketplace.factories import make_worker
from tests.studies import factories as make
from tests.studies.frames import address, query_of

pytestmark = pytest.mark.django_db
ADA, BEN = "A1ADA", "A2BEN"
ORIGIN = "http://localhost:8000"
SECRET_TEXT = "Mira is expecting someone."


@pytest.fixture(autouse=True)
def no_marketplace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.mturk.grant_qualification", lambda *ids: None)


def open_frame(round: Round, frame: Frame) -> tuple[Assignment, str]:
    """The worker's assignment with a draft, and the token of their page."""
    page = Client().get(address(round, frame))
    found = re.search(r'name="token" value="([^"]+)"', page.text)
    assert found, page.text
    token = unescape(found.group(1))
    assert save(token, SECRET_TEXT).status_code == 200
    assignment = Assignment.objects.get(participant__worker__marketplace_id=frame.worker_id)
    return assignment, token


def frame_for(round: Round, worker: str, **more: Any) -> Frame:
    return make.make_frame(make.free_slot(round), worker_id=worker, **more)


def save(token: str, text: str) -> Any:
    body = json.dumps({"token": token, "fields": {"assertion": text}, "revision": 1})
    return Client().post(reverse("task-draft"), body, content_type="application/json")


def answers(assignment: Assignment, token: str) -> dict[str, Any]:
    return make.answers_for(assignment.task.payload) | {"token": token}


def everything_with(token: str, assignment: Assignment) -> dict[str, Any]:
    """What every address that takes a token answers to this one."""
    client = Client()
    return {
        "read": client.get(reverse("task-send"), {"token": token}),
        "recording": client.get(reverse("task-recording"), {"token": token}),
        "choose": client.post(reverse("task-recording"), {"token": token, "choice": "yes"}),
        "draft": save(token, "Overwritten."),
        "submit": client.post(reverse("task-submit"), answers(assignment, token)),
    }


def assert_untouched(assignment: Assignment) -> None:
    assignment.refresh_from_db()
    assert assignment.draft["fields"] == {"assertion": SECRET_TEXT}
    assert assignment.state == AssignmentState.ACCEPTED
    assert assignment.participant is not None
    assert assignment.participant.recording_agreed is None
    assert not Response.objects.exists()


def forged_tokens(assignment: Assignment, token: str) -> dict[str, str]:
    """What somebody can make who has tokens of their own, and links, but not the secret key."""
    payload, stamp, mac = token.split(":")
    other = signing.b64_encode(json.dumps({"w": BEN, "a": assignment.pk, "o": ORIGIN}).encode())
    whole = {"w": ADA, "a": assignment.pk, "o": ORIGIN, "p": "x"}
    return {
        "another payload under the same signature": f"{other.decode()}:{stamp}:{mac}",
        "another time": f"{payload}:{stamp[::-1]}:{mac}",
        "another signature": f"{payload}:{stamp}:{mac[::-1]}",
        "signed with another key": signing.dumps(whole, key="guess", salt=TOKEN_SALT),
        "signed for another purpose": signing.dumps(whole, salt="marketplace.personal-link"),
        "a personal link": personal_link(make_worker()).rstrip("/").rpartition("/")[2],
        "nothing": "",
        "no token": "a:b:c",
        # Only we can sign these, and never do: worker and assignment do not belong together.
        "another worker": make_token(Token(BEN, assignment.pk, ORIGIN)),
        "another assignment": make_token(Token(ADA, assignment.pk + 1, ORIGIN)),
        "another place to submit to": make_token(Token(ADA, assignment.pk, "https://evil.example")),
    }


def test_no_token_but_the_workers_own_reads_or_writes_an_assignment() -> None:
    round = make.make_round()
    assignment, token = open_frame(round, frame_for(round, ADA))
    make.make_participant(round, BEN)

    for name, forged in forged_tokens(assignment, token).items():
        for step, answer in everything_with(forged, assignment).items():
            assert answer.status_code == 403, (name, step)
            assert SECRET_TEXT not in answer.text, (name, step)

    assert_untouched(assignment)


def test_of_two_studies_each_takes_its_own_frames_only() -> None:
    """The same worker in both, and another one who tries."""
    one, other = (make.make_round(make.make_study()) for _ in range(2))
    assignment, token = open_frame(one, frame_for(one, ADA))

    for worker in (ADA, BEN):
        frame = frame_for(one, worker)
        strange = Client().get(reverse("task", args=[other.public_id]), query_of(frame))
        assert strange.status_code == 403
    replayed = Frame(
        assignment.marketplace_id, ADA, one.slots.all()[0].hit_id, ORIGIN, frame.deadline
    )
    assert Client().get(address(other, replayed)).status_code == 403
    consent = reverse("task-consent", args=[other.public_id], query=query_of(frame))
    other.study.consent_text = "Agree?"
    other.study.save()
    Client().post(consent)

    assert not Assignment.objects.filter(task__round=other).exists()
    assert_untouched(assignment)
    save(token, "Mine.")
    assert Assignment.objects.get(task__round=one).draft["fields"] == {"assertion": "Mine."}


def test_what_one_worker_agreed_to_in_one_study_holds_for_no_other() -> None:
    text = {"consent_text": "Agree?"}
    one, other = (make.make_round(make.make_study(**text)) for _ in range(2))
    frame = frame_for(one, ADA)
    Client().post(reverse("task-consent", args=[one.public_id], query=query_of(frame)))
    decide_recording(participant=make.make_participant(one, ADA), agreed=True)

    for round, worker in ((other, ADA), (one, BEN)):
        assert "Agree?" in Client().get(address(round, frame_for(round, worker))).text
        assert make.make_participant(round, worker).recording_agreed is None


def test_two_workers_in_one_browser_each_write_to_their_own() -> None:
    """Two tabs of one browser: the frame carries who it is for, not a cookie."""
    round = make.make_round()
    browser = Client()
    pages = {w: browser.get(address(round, frame_for(round, w))) for w in (ADA, BEN)}

    tokens, keys = {}, set()
    for worker, page in pages.items():
        assert not page.cookies
        token = re.search(r'name="token" value="([^"]+)"', page.text)
        key = re.search(r'data-copy-key="([^"]+)"', page.text)
        assert token and key
        tokens[worker] = unescape(token.group(1))
        keys.add(key.group(1))
    for worker in (ADA, BEN, ADA):
        save(tokens[worker], f"By {worker}.")

    drafts = {
        a.participant.worker.marketplace_id: a.draft["fields"]["assertion"]
        for a in Assignment.objects.all()
        if a.participant
    }
    assert drafts == {ADA: f"By {ADA}.", BEN: f"By {BEN}."}
    # The browser's own copy of what was typed is found by the page of the same worker only.
    assert len(keys) == 2


def test_a_link_that_was_replayed_after_the_task_went_to_somebody_else_shows_nothing() -> None:
    """A returned assignment's id can come back for another worker."""
    round = make.make_round(overlap=1, stories=1)
    frame = frame_for(round, ADA)
    assignment, token = open_frame(round, frame)
    end_reservation(assignment=assignment, state=AssignmentState.RETURNED)
    again = Frame(frame.assignment_id, BEN, frame.hit_id, ORIGIN, frame.deadline)
    page = Client().get(address(round, again))
    assert page.status_code == 200
    assert SECRET_TEXT not in page.text

    stale = Client().get(address(round, frame))
    read = Client().get(reverse("task-send"), {"token": token})
    submitted = Client().post(reverse("task-submit"), answers(assignment, token))

    assert [r.status_code for r in (stale, read, submitted)] == [410, 410, 409]
    assert "You returned this task" in stale.text
    assert not Response.objects.exists()
    theirs = Assignment.objects.get(participant__worker__marketplace_id=BEN)
    assert (theirs.state, theirs.draft) == (AssignmentState.ACCEPTED, {})


def test_a_link_whose_time_is_over_reserves_nothing() -> None:
    round = make.make_round()
    over = timezone.now() - timedelta(seconds=1)

    page = Client().get(address(round, frame_for(round, ADA, deadline=over)))

    assert page.status_code == 410
    assert "The time for this task has run out" in page.text
    assert not Assignment.objects.exists()


def test_a_link_with_a_later_time_than_was_signed_is_no_link() -> None:
    round = make.make_round()
    query = query_of(frame_for(round, ADA))
    moment, _, mac = query["fabulaSignature"].partition(".")
    query["fabulaSignature"] = f"{int(moment) + 3600}.{mac}"

    assert Client().get(reverse("task", args=[round.public_id]), query).status_code == 403


def test_the_browsers_copy_is_found_again_after_the_secret_key_was_changed(
    settings: Settings,
) -> None:
    round = make.make_round()
    frame = frame_for(round, ADA)

    def name_of_copy() -> str:
        found = re.search(r'data-copy-key="([^"]+)"', Client().get(address(round, frame)).text)
        assert found
        return found[1]

    before = name_of_copy()
    settings.SECRET_KEY = "another-key-" * 5

    assert name_of_copy() == before
