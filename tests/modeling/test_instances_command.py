"""Files of instances, by command, of a release and of a file."""

import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.annotation.releases.world import bring, build, past_rows
from tests.modeling.tuples import published_file
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db


def build_instances(*given: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("build_instances", *given, "--format", "json", stdout=out, stderr=io.StringIO())
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("given", "count"),
    [
        (["state-inference"], 3_668),
        (["state-inference", "--partition", "revised", "--input", "story"], 1_834),
        (["story-revision"], 1_834),
        (["state-change"], 1_834),
    ],
)
def test_instances_of_the_published_file(tmp_path: Path, given: list[str], count: int) -> None:
    file = tmp_path / "instances.jsonl"

    told = build_instances(
        "--file", str(published_file("te_data.jsonl")), "--task", *given, "--output", str(file)
    )

    lines = lines_of(file)
    assert told["instances"] == len(lines) == count
    assert len({line["key"] for line in lines}) == count
    assert {frozenset(line) for line in lines} == {
        frozenset({"key", "tuple", "story", "part", "text", "target", "fields"})
    }


def test_instances_of_a_release_keep_stories_in_their_splits(tmp_path: Path) -> None:
    study = make_study(slug="evenings")
    bring(study, past_rows(30))
    build(study)
    file = tmp_path / "instances.jsonl"
    given = ["evenings", "--release", "v1", "--task", "state-change", "--output", str(file)]

    told = build_instances(*given)

    splits = defaultdict(set)
    for line in lines_of(file):
        splits[line["story"]].add(line["split"])
    assert told["instances"] == sum(told["splits"].values()) == 180
    assert len(splits) == 30
    assert {len(found) for found in splits.values()} == {1}
    assert set().union(*splits.values()) == {"train", "validation", "test"}


def test_one_split_of_a_release(tmp_path: Path) -> None:
    study = make_study(slug="evenings")
    bring(study, past_rows(10))
    build(study)
    file = tmp_path / "test.jsonl"

    told = build_instances(
        *("evenings", "--release", "v1", "--split", "test"),
        *("--task", "story-revision", "--output", str(file)),
    )

    assert {line["split"] for line in lines_of(file)} == {"test"}
    assert told["splits"] == {"test": told["instances"]}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--task", "story-revision", "--input", "story"], "no other inputs"),
        (["--task", "story-revision", "--split", "test"], "--split is of a release"),
        (["evenings", "--task", "story-revision"], "Give STUDY with --release"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(tmp_path: Path, given: list[str], says: str) -> None:
    file = tmp_path / "instances.jsonl"
    source = tmp_path / "source.jsonl"
    source.write_text(json.dumps({"AssignmentId": "A"}) + "\n")

    with pytest.raises(CommandError, match=says):
        build_instances("--file", str(source), "--output", str(file), *given)

    assert not file.exists()


@pytest.mark.parametrize("content", ['{"AssignmentId": "A"}\n', "", None])
def test_a_file_that_cannot_be_used_leaves_nothing_behind(
    tmp_path: Path, content: str | None
) -> None:
    source, file = tmp_path / "source.jsonl", tmp_path / "instances.jsonl"
    if content is not None:
        source.write_text(content)

    with pytest.raises(CommandError, match=r"source\.jsonl"):
        build_instances("--file", str(source), "--task", "state-change", "--output", str(file))

    assert {path.name for path in tmp_path.iterdir()} <= {"source.jsonl"}


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "instances.jsonl"
    file.write_text("mine")

    with pytest.raises(CommandError, match="--force"):
        build_instances(
            "--file", str(tmp_path / "x"), "--task", "state-change", "--output", str(file)
        )

    assert file.read_text() == "mine"
