"""Ratings made elsewhere and instruments through the API, as commands and pages do it."""

import copy
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.api.instruments import DECLARED
from evaluation.models import Instrument, Rating, ResultFile
from studies.jobs import run
from studies.models import Job, Study, StudyRole
from tests.evaluation.api_clients import API, client_of
from tests.evaluation.result_file import four_items, result_file
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db
FILES = f"{API}/studies/evenings/result-files/"
QUESTION: dict[str, Any] = {"slug": "clear", "text": "Is it clear?", "kind": "choice"}
ASKED = {"instrument": "state-inference", "system": "t5-base"}


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def lea(study: Study) -> Client:
    return client_of(study, "lea")


def send(client: Client, **changes: Any) -> Any:
    file = SimpleUploadedFile("batch.csv", result_file(four_items()))
    return client.post(FILES, {"file": file, **ASKED, **changes})


def post(client: Client, address: str, data: Any) -> Any:
    return client.post(address, data, content_type="application/json")


def test_a_file_is_imported_once_and_withdrawn_for_a_reason(lea: Client, study: Study) -> None:
    sent = send(lea)
    assert sent.status_code == 202, sent.content
    run(sent.json()["job"])

    (row,) = lea.get(FILES).json()["results"]
    assert (row["file"], row["system"], row["withdrawn_at"]) == ("batch.csv", "t5-base", None)
    assert row["instrument"].startswith("state-inference@")
    assert Rating.objects.count() == 12
    address = f"{FILES}{row['result_file']}/withdraw/"
    assert post(lea, address, {"why": " "}).status_code == 400
    done = post(lea, address, {"why": "It was t5-large."})
    assert (done.status_code, done.json()["withdrawn_why"]) == (200, "It was t5-large.")
    assert ResultFile.objects.get().withdrawn_by == study.memberships.get().user
    assert post(lea, address, {"why": "Again."}).status_code == 422


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"instrument": "none"}, "instrument"),
        ({"system": ""}, "system"),
        ({"rival": "gpt-2"}, "rival"),
        ({"instrument": "pairwise"}, "rival"),
        ({"map": "{"}, "map"),
        ({"map": '{"rater": ""}'}, "map"),
        ({"map": "[" * 900 + "]" * 900}, "map"),
        ({"map": '{"left": "\\ud800"}'}, "map"),
    ],
)
def test_what_the_upload_page_refuses_is_refused(
    lea: Client, changes: dict[str, str], field: str
) -> None:
    refused = send(lea, **changes)

    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == [field]
    assert not Job.objects.exists()


def test_others_neither_import_nor_withdraw(study: Study) -> None:
    omar = client_of(make_study(), "omar")
    kim = client_of(study, "kim", StudyRole.REVIEWER)

    assert (send(omar).status_code, send(kim).status_code) == (404, 403)
    assert (omar.get(FILES).status_code, kim.get(FILES).status_code) == (404, 403)
    assert kim.get(f"{API}/instruments/").status_code == 403
    assert not Job.objects.exists()


def test_an_instrument_is_made_and_gets_a_next_version(lea: Client) -> None:
    declared: dict[str, Any] = copy.deepcopy(DECLARED)
    made = post(lea, f"{API}/instruments/", {"declaration": declared})
    address = f"{API}/instruments/my-instrument/"
    same = post(lea, address, {"declaration": declared})
    again = post(lea, f"{API}/instruments/", {"declaration": declared})
    declared["title"] = "Mine, in other words"
    following = post(lea, address, {"declaration": declared})

    assert (made.status_code, same.status_code, again.status_code) == (201, 422, 422)
    assert (following.status_code, following.json()["version"]) == (201, 2)
    assert lea.get(address).json()["title"] == "Mine, in other words"
    first = lea.get(f"{API}/instruments/my-instrument@1/").json()
    assert (first["version"], first["declaration"]) == (1, made.json()["declaration"])
    listed = lea.get(f"{API}/instruments/").json()["results"]
    assert [row["version"] for row in listed if row["instrument"] == "my-instrument"] == [1, 2]


def test_a_version_that_reports_could_not_read_is_refused(lea: Client) -> None:
    address = f"{API}/instruments/story-revision/"
    declared = lea.get(address).json()["declaration"]
    del declared["questions"][0]["threshold"]

    refused = post(lea, address, {"declaration": declared})

    assert refused.status_code == 422
    assert refused.json()["detail"] == "Reports need a threshold of “inferable”."


@pytest.mark.parametrize(
    "change",
    [
        {"questions": []},
        {"questions": [QUESTION | {"brought": 10**400, "options_from": "text"}]},
        {"questions": [QUESTION | {"options": [{"code": 10**400, "label": "A"}]}]},
        {"slug": "no slug"},
        {"title": "\0"},
        {"title": "\ud800"},
        {"about": "x" * 100_000},
    ],
)
def test_a_declaration_that_cannot_be_is_told_why(lea: Client, change: dict[str, Any]) -> None:
    before = Instrument.objects.count()
    refused = post(lea, f"{API}/instruments/", {"declaration": DECLARED | change})

    assert refused.status_code == 400, refused.content
    assert refused.json()["errors"]["declaration"]
    other = post(lea, f"{API}/instruments/pairwise/", {"declaration": DECLARED})
    assert other.status_code == 400
    assert lea.get(f"{API}/instruments/none/").status_code == 404
    assert Instrument.objects.count() == before
