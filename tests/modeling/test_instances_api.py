"""Instances of a release through the API: the lines that the command writes."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from studies.models import Study, StudyRole
from tests.annotation.releases.world import bring, build, past_rows
from tests.evaluation.api_clients import API, client_of
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db
ADDRESS = f"{API}/studies/evenings/releases/v1/instances.ndjson"


@pytest.fixture
def study() -> Study:
    study = make_study(slug="evenings")
    bring(study, past_rows(30))
    build(study)
    return study


@pytest.mark.parametrize(
    "asked",
    [
        {"task": "state-change"},
        {"task": "state-inference", "split": "test", "partition": "revised", "input": "story"},
    ],
)
def test_they_are_the_lines_of_the_command(
    study: Study, tmp_path: Path, asked: dict[str, str]
) -> None:
    answer: Any = client_of(study, "lea").get(ADDRESS, asked)

    file = tmp_path / "instances.jsonl"
    options = [f"--{name}={value}" for name, value in asked.items()]
    where = ["--release", "v1", "--output", str(file)]
    call_command("build_instances", "evenings", *where, *options, stdout=io.StringIO())
    assert answer["Content-Type"] == "application/x-ndjson"
    assert b"".join(answer.streaming_content) == file.read_bytes() != b""


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 400),
        ({"task": "none"}, 400),
        ({"task": "state-change", "split": "all"}, 400),
        ({"task": "state-change", "input": "story"}, 422),
    ],
)
def test_a_variant_that_there_is_not_is_refused(
    study: Study, asked: dict[str, str], status: int
) -> None:
    assert client_of(study, "lea").get(ADDRESS, asked).status_code == status


def test_others_are_told_nothing(study: Study) -> None:
    asked = {"task": "state-change"}
    stranger: Client = client_of(make_study(), "omar")
    assert stranger.get(ADDRESS, asked).status_code == 404
    assert client_of(study, "kim", StudyRole.REVIEWER).get(ADDRESS, asked).status_code == 403
    missing = ADDRESS.replace("v1/instances", "v2/instances")
    assert client_of(study, "lea").get(missing, asked).status_code == 404
