"""What a reviewer reads about how a text came to be."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies.admin.process import read_process
from studies.models import Participant, Response, Round, Study
from tests.studies.factories import make_participant
from tests.studies.test_record_evidence import step
from tests.studies_admin.responses import make_response

HINT = "It is a hint for reading and no verdict"


def evidence(**more: Any) -> dict[str, Any]:
    steps = {
        "1": step(active_ms=95_400, keys=1210, undos=2, resets=1),
        "4": step(active_ms=400, pastes=[1034, 12], drops=[7], away=2, away_ms=61_000),
    }
    return {"version": 1, "pages": 2, "steps": steps, "note": "I dictate."} | more


def page_of(client: Client, response: Response) -> str:
    address = reverse("admin:studies_response_change", args=[response.pk])
    return client.get(address).content.decode()


@pytest.fixture
def asking(study: Study) -> None:
    study.records_process = True
    study.save()


def test_counts_read_as_words() -> None:
    process = read_process(evidence())

    first, fourth = process.rows
    assert (first.name, first.active, first.keys, first.undone) == ("1", "1 min 35 s", "1,210", "3")
    assert first.pastes == first.drops == first.away == "–"
    assert (fourth.pastes, fourth.drops, fourth.away) == ("1,034 + 12", "7", "2 × in 1 min 1 s")
    assert fourth.active == fourth.keys == "–"
    assert process.visits == "The page was opened 2 times."


def test_evidence_is_shown_as_a_hint_with_the_workers_line(
    client: Client, round: Round, asking: None
) -> None:
    page = page_of(client, make_response(round, evidence=evidence()))

    assert "How the text came to be" in page
    assert "1,034 + 12" in page
    assert "I dictate." in page
    assert HINT in page


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (None, "Not recorded."),
        ({"version": 1, "unreadable": True, "note": ""}, "could not be read."),
    ],
)
def test_where_nothing_is_known_that_is_said_and_counts_for_nothing(
    client: Client, round: Round, asking: None, stored: Any, words: str
) -> None:
    page = page_of(client, make_response(round, evidence=stored))

    assert words in page
    assert "That says nothing about the response" in page
    assert "Key presses" not in page


def test_a_study_that_does_not_ask_shows_nothing(client: Client, round: Round) -> None:
    assert "How the text came to be" not in page_of(client, make_response(round))


def test_the_workers_line_is_shown_as_text(client: Client, round: Round, asking: None) -> None:
    nasty = "<script>alert(1)</script>"

    page = page_of(client, make_response(round, evidence=evidence(note=nasty)))

    assert nasty not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_question_can_be_left_out_of_a_study(client: Client, study: Study) -> None:
    address = reverse("admin:studies_study_change", args=[study.pk])
    form = {"title": study.title, "slug": study.slug, "consent_text": "", "contact": ""}
    form |= {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    study.records_process = True
    study.save()
    assert 'name="records_process"' in client.get(address).content.decode()

    assert client.post(address, form).status_code == 302

    study.refresh_from_db()
    assert not study.records_process


@pytest.mark.parametrize(
    ("agreed", "words"), [(True, "agreed, "), (False, "declined, "), (None, "not asked yet")]
)
def test_a_participants_answer_is_shown_with_its_time_and_version(
    client: Client, round: Round, agreed: bool | None, words: str
) -> None:
    participant = make_participant(round)
    if agreed is not None:
        Participant.objects.update(
            recording_agreed=agreed, recording_decided_at=timezone.now(), recording_version=1
        )

    address = reverse("admin:studies_participant_change", args=[participant.pk])
    page = client.get(address).content.decode()

    assert words in page
    assert ("(question 1)" in page) == (agreed is not None)
