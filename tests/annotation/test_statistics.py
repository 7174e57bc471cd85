"""What is counted of a dataset of state annotations."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.tasks.state_annotation.statistics import Statistics
from tests.studies.published import lines, published_row

PUBLISHED = {
    "tuples": 2267,
    "stories": 1061,
    "state_tokens": 5.8805,
    "changed_state_tokens": 6.1835,
    "justification_sentences": 1.4491,
    "revised_sentences": 1.4663,
    "justification_revised_pct": 90.5470,
    "revised_justification_pct": 90.5183,
    "state_overlap_pct": 72.15,
    "story_overlap_pct": 90.61,
}


def figures(*rows: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    statistics = Statistics()
    for item, answers in rows:
        statistics.add(item, answers)
    return statistics.as_dict()


def row(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    item = {"story_id": "tea", "sentences": ["It rained all day .", "Ana sang ."]}
    answers = {
        "assertion": "Ana is Ana",
        "justification": [2],
        "changed_assertion": "Ana is not glad",
        "revision": ["It rained all day .", "ana wept ."],
    }
    return item, answers | changes


def dataset_stats(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    call_command("dataset_stats", *map(str, arguments))
    return capsys.readouterr().out


@pytest.mark.shared_data
def test_the_published_files_have_the_published_figures(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [shared_data / "pasta" / name for name in ("val_data.jsonl", "te_data.jsonl")]

    found = json.loads(dataset_stats(capsys, "--file", *files, "--format", "json"))

    assert list(found) == list(PUBLISHED)
    assert found == pytest.approx(PUBLISHED, abs=0.005)


def test_tokens_are_split_on_white_space_and_keep_their_case() -> None:
    found = figures(row())

    assert (found["state_tokens"], found["changed_state_tokens"]) == (3, 4)
    # Each token of the state counts, also one that comes twice.
    assert found["state_overlap_pct"] == 100
    # Of eight tokens "Ana" and "sang" are gone.
    assert found["story_overlap_pct"] == 75


def test_shares_of_sentences_are_means_over_the_rows_that_have_any() -> None:
    both = ["It snowed .", "Ana wept ."]
    found = figures(
        row(justification=[1, 2]), row(justification=[]), row(revision=both, justification=[1])
    )

    assert found["justification_sentences"] == 1
    assert found["revised_sentences"] == pytest.approx(4 / 3, abs=1e-4)
    assert found["justification_revised_pct"] == 75
    assert found["revised_justification_pct"] == 50


def test_nothing_has_no_mean() -> None:
    found = figures()

    assert (found["tuples"], found["stories"]) == (0, 0)
    assert found["state_tokens"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evenings"], "required"),
        (["--release", "v1"], "Give STUDY with --release"),
        (["evenings", "--file", "rows.jsonl"], "Give STUDY with --release"),
        (["--file", "nowhere.jsonl"], "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_counted_is_told(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=said):
        dataset_stats(capsys, *arguments)


def test_a_row_of_another_layout_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(published_row(), published_row("A2") | {"Answer.assertion": 7}))

    with pytest.raises(CommandError, match="Row 2"):
        dataset_stats(capsys, "--file", file)


@pytest.mark.parametrize(("fmt", "sign"), [("text", "rows"), ("latex", "\\begin{tabular}")])
def test_people_read_them_in_words_and_papers_as_a_table(
    fmt: str, sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(published_row("A1"), published_row("A2", "s2")))

    out = dataset_stats(capsys, "--file", file, "--format", fmt)

    assert sign in out and "stories" in out
    if fmt == "latex":
        assert r"\% of the story" in out and out.count(r"\\") == len(PUBLISHED)
