from pathlib import Path

import pytest

from studies.story_files import ParsedStory, ParseReport, StoryReading

pytestmark = pytest.mark.shared_data


def read(path: Path) -> tuple[list[ParsedStory], ParseReport]:
    with path.open("rb") as stream:
        reading = StoryReading(stream, name=path.name)
        return list(reading), reading.report()


def test_both_annotation_files_hold_1061_stories(shared_data: Path) -> None:
    stories: dict[str, ParsedStory] = {}
    for name in ("val_data.jsonl", "te_data.jsonl"):
        parsed, report = read(shared_data / "pasta" / name)
        assert report.ok
        stories |= {story.external_id: story for story in parsed}

    assert len(stories) == 1_061
    assert {len(story.sentences) for story in stories.values()} == {5}


def test_possible_stories_have_four_sentences_or_are_listed(shared_data: Path) -> None:
    stories, report = read(shared_data / "possible_stories" / "endings.jsonl")

    assert report.ok and len(stories) == 1_350
    assert report.lengths[4] >= 1_330
    listed = {notice.story_id for notice in report.notices if notice.code == "sentence_count"}
    others = {s.external_id for s in stories if s.roles.count("sentence") != 4}
    assert listed == others and len(others) == 1_350 - report.lengths[4]
    assert all(story.roles[-1] == "ending" for story in stories)
    assert all(story.roles.count("ending") == 1 for story in stories)


def test_timetravel_has_five_sentences_or_is_listed(shared_data: Path) -> None:
    stories: list[ParsedStory] = []
    listed: set[str | None] = set()
    for name in ("dev_data.json", "test_data.json"):
        parsed, report = read(shared_data / "timetravel" / name)
        assert report.ok and report.format == "timetravel-jsonl"
        stories += parsed
        listed |= {n.story_id for n in report.notices if n.code == "sentence_count"}

    assert len({story.external_id for story in stories}) == len(stories) == 3_742
    assert sum(len(story.sentences) == 5 for story in stories) >= 3_700
    assert listed == {s.external_id for s in stories if len(s.sentences) != 5}
    assert all(story.roles[:2] == ("premise", "initial") for story in stories)
    assert all(set(story.roles[2:]) == {"ending"} for story in stories)
