"""Rounds of ratings through the API: as the command launches them, and what raters know."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.releases.withdrawal import withdraw_participant
from config.tokens import make_token
from evaluation.models import Item, RatingRound
from studies.models import Job, Round, Study
from tests.evaluation.rating_rounds import launched, rate, read
from tests.evaluation.test_rating_round import endings, inference
from tests.studies import factories as make
from tests.studies.members import make_member

pytestmark = pytest.mark.django_db
ROUNDS = "/api/v1/studies/evenings/evaluation-rounds/"
ASKED = {"instrument": "pairwise", "overlap": 3, "reward_usd": "0.10", "seed": 7}


@pytest.fixture
def study() -> Study:
    return make.make_study(slug="evenings")


@pytest.fixture
def lea(study: Study) -> Client:
    _token, secret = make_token(user=make_member(study, name="lea"), label="test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    seen: list[Job] = []

    def keep(job: Job) -> Job:
        seen.append(job)
        return job

    monkeypatch.setattr("studies.tasks.wake", keep)
    return seen


def outputs(rows: list[dict[str, Any]]) -> SimpleUploadedFile:
    return SimpleUploadedFile("outputs.jsonl", "\n".join(map(json.dumps, rows)).encode())


def test_a_file_is_estimated_and_launched_once(lea: Client, woken: list[Job]) -> None:
    key = {"launch_key": "9b2f6f2e-0a44-4b6e-9a3c-6f1f5d1f7a11"}
    cost = lea.post(f"{ROUNDS}estimate/", ASKED | {"file": outputs(endings(4)), "sample": 3})
    assert (cost.status_code, cost.json()["slots"]) == (200, 9), cost.content
    assert not Round.objects.exists()

    made = lea.post(ROUNDS, ASKED | key | {"file": outputs(endings(4)), "sample": 3})
    again = lea.post(ROUNDS, ASKED | key | {"file": outputs(endings(4)), "sample": 3})

    assert (made.status_code, again.status_code) == (201, 200), made.content
    assert made.json()["estimate"] == cost.json()
    assert (Round.objects.count(), len(woken)) == (1, 1)
    listed = lea.get(ROUNDS).json()["results"]
    assert listed[0]["instrument"].startswith("pairwise@")
    assert listed[0]["items_from"]["name"] == "outputs.jsonl"
    assert RatingRound.objects.get().seed == 7


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ({}, 422, "Say what is to be rated"),
        ({"instrument": "nope"}, 400, "There is no instrument"),
        ({"release": "v9"}, 400, "This study has no such release."),
        ({"runs": ["nope"]}, 400, "This study has no such run."),
        ({"file": outputs([inference()])}, 422, "outputs.jsonl: Row 1"),
        ({"file": outputs(endings(1)), "sample": 2}, 422, "fewer than the sample of 2"),
        ({"file": outputs(endings(1)), "reward_usd": "0"}, 422, "unpaid"),
    ],
)
def test_what_cannot_be_launched_is_told_and_nothing_is_made(
    lea: Client, asked: dict[str, Any], status: int, told: str
) -> None:
    answer = lea.post(ROUNDS, ASKED | asked)
    assert answer.status_code == status, answer.content
    assert told in json.dumps(answer.json(), ensure_ascii=False)
    assert not Item.objects.exists()


def test_what_raters_know_is_told_by_pseudonym(lea: Client, study: Study) -> None:
    golden = read(study, "state-inference", [inference("g", gold={"inferable": 1})], gold=True)
    round = launched(study, "state-inference", [inference("a")], gold=golden, overlap=2)
    for _task in range(2):
        rate(round, "R1", lambda shown: {"inferable": 4})
        rate(round, "R2", lambda shown: {"inferable": 1})

    told = lea.get(f"{ROUNDS}{round.number}/raters/").json()

    names = dict(study.participants.values_list("worker__marketplace_id", "pseudonym"))
    assert told == [
        {"participant": names["R2"], "known": 1, "right": 0, "gold": 1, "gold_right": 0},
        {"participant": names["R1"], "known": 1, "right": 1, "gold": 1, "gold_right": 1},
    ]


def test_who_took_back_what_they_gave_is_judged_no_more(lea: Client, study: Study) -> None:
    round = launched(study, "state-inference", [inference(gold={"inferable": 1})], overlap=2)
    rate(round, "R1", lambda shown: {"inferable": 4})
    rate(round, "R2", lambda shown: {"inferable": 1})
    gone = study.participants.get(worker__marketplace_id="R2")
    withdraw_participant(participant=gone)

    told = lea.get(f"{ROUNDS}{round.number}/raters/").json()

    stayed = study.participants.get(worker__marketplace_id="R1")
    assert [one["participant"] for one in told] == [stayed.pseudonym]


def test_others_are_told_nothing(lea: Client, study: Study) -> None:
    _token, secret = make_token(user=make_member(make.make_study(), name="omar"), label="test")
    stranger = Client(headers={"Authorization": f"Bearer {secret}"})
    assert stranger.get(ROUNDS).status_code == 404
    assert stranger.post(ROUNDS, ASKED).status_code == 404
    assert stranger.post(f"{ROUNDS}estimate/").status_code == 404
