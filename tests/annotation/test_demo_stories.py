import csv
import json

import pytest

from annotation.demo.study import (
    CONSENT_TEXT,
    INSTRUMENT,
    OUTPUTS_FILE,
    STORIES_FILE,
    STORIES_FORMAT,
    STUDY_SLUG,
)
from annotation.tasks.state_annotation.sentence_count import count_sentences
from evaluation.instruments.house import HOUSE
from evaluation.rating.sources.file import outputs_of_file
from studies.models import Study
from studies.story_files.reading import StoryReading
from studies.story_files.sentences import split_sentences


def demo_stories() -> dict[str, list[str]]:
    with STORIES_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        row["story_id"]: [row[f"line{n}"] for n in range(1, 7) if row[f"line{n}"]] for row in rows
    }


def test_there_are_enough_stories_mostly_of_five_sentences() -> None:
    lengths = [len(sentences) for sentences in demo_stories().values()]

    assert len(lengths) >= 30
    assert set(lengths) == {4, 5, 6}
    assert lengths.count(5) > len(lengths) / 2


def test_the_importer_takes_the_file_as_it_is() -> None:
    with STORIES_FILE.open("rb") as file:
        reading = StoryReading(file, name=STORIES_FILE.name, format=STORIES_FORMAT)
        stories = list(reading)

    assert reading.report().problem_count == 0
    assert {story.external_id: list(story.sentences) for story in stories} == demo_stories()


def test_every_line_is_one_whole_sentence_of_its_own() -> None:
    lines = [line for sentences in demo_stories().values() for line in sentences]

    assert len(set(lines)) == len(lines)
    for line in lines:
        assert line == line.strip()
        assert line.endswith((".", "?", "!", "”")), line
        assert count_sentences(line) == 1, line
        assert len(split_sentences(line)) == 1, line


@pytest.mark.django_db
def test_two_systems_revised_some_of_them_each_in_its_way() -> None:
    records = [json.loads(line) for line in OUTPUTS_FILE.read_text().splitlines()]
    declared = HOUSE[INSTRUMENT]
    study = Study(pk=0)

    with OUTPUTS_FILE.open("rb") as file:
        outputs = outputs_of_file(file, name=OUTPUTS_FILE.name, study=study, declared=declared)

    assert outputs.systems == ["large", "small"]
    assert len(outputs.outputs) == len(records) == 12
    told = [row["revision"] for row in records]
    assert len(set(map(tuple, told))) == len(told)
    for row in records:
        assert row["story"] == demo_stories()[row["id"]] != row["revision"]
        assert all(count_sentences(line) == 1 for line in row["revision"])


def test_the_consent_text_says_where_to_turn() -> None:
    assert STUDY_SLUG == "state-annotation"
    for words in ("[contact address]", "pays", "stop at any time", "18 or older"):
        assert words in CONSENT_TEXT
