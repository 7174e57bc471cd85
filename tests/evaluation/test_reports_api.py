"""Reports and the agreement of files through the API, as the commands make them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from evaluation.reports.registry import REPORTS as KNOWN
from evaluation.reports.runs.registry import RUNS_REPORTS
from studies import jobs
from studies.models import Job, Study, StudyRole
from tests.annotation.releases.world import bring, build
from tests.evaluation.api_clients import API, client_of
from tests.evaluation.rated import each, make_item, together
from tests.studies.factories import make_study
from tests.studies.published import published_row

pytestmark = pytest.mark.django_db
REPORTS = f"{API}/studies/evenings/reports/"
AGREEMENT = f"{API}/studies/evenings/file-agreement/"
CSV = b"item,who,part,score\n1,ann,a,1\n1,ben,a,2\n2,ann,a,3\n2,ben,a,3\n1,ann,b,2\n1,ben,b,2\n"
COLUMNS = {"item": "item", "rater": "who", "value": "score", "scale": "1,2,3"}


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


@pytest.fixture
def lea(study: Study) -> Client:
    return client_of(study, "lea")


def printed(*given: str) -> str:
    out = io.StringIO()
    call_command(*given, stdout=out)
    return out.getvalue().rstrip("\n")


@pytest.mark.parametrize("format", ["text", "json", "csv", "latex"])
def test_a_report_is_what_the_command_prints(lea: Client, study: Study, format: str) -> None:
    for system, codes in (("good", (5, 4)), ("bad", (1, 2)), ("other", (3, 3))):
        make_item(study, "state-inference", *each("mentioned", *codes), system=system)
    query = "system=good&system=bad&format="
    found = lea.get(f"{REPORTS}agreement/?{query}{format}").json()

    command = ["report", "agreement", "--study", "evenings", "--system", "good", "--system", "bad"]
    assert found["written"] == printed(*command, "--format", format)
    assert found["rows"] == json.loads(printed(*command, "--format", "json"))
    assert found["report"] == "agreement"


def test_reports_are_listed_for_which_there_are_ratings(lea: Client, study: Study) -> None:
    assert lea.get(REPORTS).json() == []
    make_item(study, "state-inference", *each("mentioned", 5, 4))
    listed = lea.get(REPORTS).json()
    assert {one["report"] for one in listed} == {"state_inference", "agreement", "likert"}
    assert all(one["title"] and one["about"] for one in listed)


def test_a_report_that_cannot_be_made_says_why(lea: Client) -> None:
    for name in (*KNOWN, *RUNS_REPORTS):
        answer = lea.get(f"{REPORTS}{name}/")
        assert (answer.status_code, bool(answer.json()["detail"])) == (422, True), name
    assert lea.get(f"{REPORTS}nothing/").status_code == 404
    for wrong in ("rule=none", "expected_items=0", "first_submitted=x", "format=pdf"):
        assert lea.get(f"{REPORTS}automatic/?{wrong}").status_code == 400, wrong


def test_outputs_that_nobody_has_scored_are_scored_by_a_job(lea: Client, study: Study) -> None:
    bring(study, [published_row("A1", "s1")])
    build(study)
    story = [f"Nora walked {n} miles." for n in range(1, 6)]
    fields = {"story": story, "state": "Nora is not fit.", "revision": [*story[:4], "Nora flew."]}
    codes = together(inferable=(4, 4), logical=(1, 1), degree=(0, 0))
    make_item(study, "story-revision", *codes, group="A1", fields=fields)
    address = f"{REPORTS}automatic/"
    asked = {"system": ["A"], "release": "v1"}

    refused = lea.get(address, asked)
    assert (refused.status_code, "not scored yet" in refused.json()["detail"]) == (422, True)
    jobs_sent = [post(lea, f"{address}scores/", asked) for _ in range(2)]
    assert [sent.status_code for sent in jobs_sent] == [202, 202]
    assert len({sent.json()["job"] for sent in jobs_sent}) == 1
    jobs.run(jobs_sent[0].json()["job"])

    found = lea.get(address, asked)
    assert (found.status_code, found.json()["rows"][0]["system"]) == (200, "A")
    again = post(lea, f"{address}scores/", asked)
    assert (again.status_code, "scored already" in again.json()["detail"]) == (422, True)
    assert post(lea, f"{REPORTS}nothing/scores/", {}).status_code == 404


def post(client: Client, address: str, data: Any) -> Any:
    return client.post(address, data, content_type="application/json")


@pytest.fixture
def media(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path


def send(client: Client, content: bytes = CSV, **changes: Any) -> Any:
    return client.post(
        AGREEMENT, {"file": SimpleUploadedFile("ratings.csv", content), **COLUMNS, **changes}
    )


def ended(client: Client, sent: Any) -> dict[str, Any]:
    assert sent.status_code == 202, sent.content
    jobs.run(sent.json()["job"])
    told: dict[str, Any] = client.get(f"{API}/jobs/{sent.json()['job']}/").json()
    return told


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"by": "part", "weights": "quadratic", "level": "ordinal", "se": "delta"},
        {"coefficient": ["gwet_ac", "fleiss_kappa"], "bootstrap": 20, "seed": 3},
    ],
)
def test_agreement_of_a_file_is_what_the_command_prints(
    lea: Client, media: Path, asked: dict[str, Any]
) -> None:
    content = CSV if "by" in asked else CSV.partition(b"1,ann,b")[0]
    (media / "ratings.csv").write_bytes(content)
    told = ended(lea, send(lea, content, **asked))

    named = [(key, value) for key, value in {**COLUMNS, **asked}.items()]
    spread = [(k, one) for k, v in named for one in (v if isinstance(v, list) else [v])]
    options = [f"--{key}={value}" for key, value in spread]
    command = ["agreement", str(media / "ratings.csv"), *options]
    assert told["result"]["written"] == printed(*command)
    assert told["result"]["agreement"] == json.loads(printed(*command, "--format", "json"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (CSV, "Rater ann rated item 1 twice"),
        (b"item,who,score\n1,ann,7\n", "“7” is not on the scale"),
        (b"item,who\n1,ann\n", "no column “score”"),
        (b"item,who,score\n1,\xe9,1\n", "ratings.csv is not UTF-8"),
        (b"item,who,score\n\0,ann,1\n\0,ann,2\n", "Line 2: column “item” holds a NUL character"),
        (b"item,wh\0o,score\n1,ann,1\n", "no column “who”"),
    ],
)
def test_a_file_that_cannot_be_read_fails_with_its_line(
    lea: Client, media: Path, content: bytes, words: str
) -> None:
    told = ended(lea, send(lea, content))
    assert (told["state"], words in told["error"]) == ("failed", True)


def test_what_cannot_be_asked_starts_no_job(lea: Client, study: Study, media: Path) -> None:
    answers = [
        send(lea, scale="1,,2"),
        send(lea, weights="none"),
        send(lea, bootstrap=1),
        send(lea, coefficient="none"),
        send(lea, confidence="nan"),
        lea.post(AGREEMENT, COLUMNS),
        send(client_of(study, "kim", StudyRole.REVIEWER)),
        send(client_of(make_study(), "omar")),
    ]
    assert [one.status_code for one in answers] == [422, 400, 400, 400, 400, 400, 403, 404]
    assert not Job.objects.exists()
