"""Statistics of files that are in no study, as `manage.py dataset_stats --file` gives them."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from pytest_django import Settings

from studies.jobs import run
from studies.models import Job, Response
from tests.api.conftest import API, Site
from tests.studies.published import lines, published_row

ADDRESS = f"{API}/studies/evenings/file-statistics/"
FIRST = lines(published_row("A1"), published_row("A2"))
SECOND = lines(published_row("A3", "s2"))


def files(*contents: bytes) -> dict[str, Any]:
    return {
        "file": [SimpleUploadedFile(f"{n}.jsonl", one) for n, one in enumerate(contents)],
    }


def ended(site: Site, sent: Any) -> dict[str, Any]:
    assert sent.status_code == 202, sent.content
    run(sent.json()["job"])
    told: dict[str, Any] = site.client("researcher").get(f"{API}/jobs/{sent.json()['job']}/").json()
    return told


def test_several_files_count_as_one_dataset_as_the_command_counts_them(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client, before = site.client("researcher"), Response.objects.count()
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl")]
    for path, content in zip(paths, (FIRST, SECOND), strict=True):
        path.write_bytes(content)
    latex = ended(site, client.post(ADDRESS, files(FIRST, SECOND) | {"format": "latex"}))
    body = client.post(f"{ADDRESS}?name=a.jsonl", FIRST, content_type="application/x-ndjson")

    assert (latex["state"], latex["error"]) == ("done", "")
    call_command("dataset_stats", "--file", *map(str, paths), "--format", "json")
    assert latex["result"]["statistics"] == json.loads(capsys.readouterr().out)
    call_command("dataset_stats", "--file", *map(str, paths), "--format", "latex")
    assert latex["result"]["written"] == capsys.readouterr().out.rstrip("\n")
    counted = ended(site, body)["result"]
    assert json.loads(counted["written"]) == counted["statistics"]
    assert (counted["statistics"]["tuples"], counted["statistics"]["stories"]) == (2, 1)
    assert Response.objects.count() == before


def test_a_row_that_cannot_be_read_is_named_and_nothing_is_counted(site: Site) -> None:
    wrong = FIRST + lines(published_row("A9") | {"Answer.assertion": 7})
    told = ended(site, site.client("researcher").post(ADDRESS, files(SECOND, wrong)))

    assert told["state"] == "failed"
    assert list(told["result"]) == ["problems"]
    assert "1.jsonl: Row 3" in told["result"]["problems"][0]


def test_no_file_and_too_much_of_them_are_refused(site: Site, settings: Settings) -> None:
    client, before = site.client("researcher"), Job.objects.count()
    settings.STORY_UPLOAD_MAX_BYTES = len(FIRST) + 1
    refused = [
        client.post(ADDRESS, {}),
        client.post(ADDRESS, files(FIRST, SECOND)),
        client.post(ADDRESS, files(*[b"x"] * 21)),
        client.post(ADDRESS, files(SECOND) | {"format": "pdf"}),
    ]

    assert [answer.status_code for answer in refused] == [400] * 4
    assert "At most" in refused[1].json()["errors"]["file"][0]
    assert Job.objects.count() == before


@pytest.mark.parametrize(("role", "status"), [("stranger", 404), ("reviewer", 403)])
def test_others_start_no_job(site: Site, role: str, status: int) -> None:
    before = Job.objects.count()
    assert site.client(role).post(ADDRESS, files(FIRST)).status_code == status
    assert Job.objects.count() == before
