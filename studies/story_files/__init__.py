"""Story files to plain values: what a file holds and what is wrong with it. No database here."""

from studies.story_files.formats import AUTO, FORMAT_NAMES
from studies.story_files.reading import StoryReading
from studies.story_files.results import Notice, ParsedStory, ParseReport, Problem

__all__ = [
    "AUTO",
    "FORMAT_NAMES",
    "Notice",
    "ParseReport",
    "ParsedStory",
    "Problem",
    "StoryReading",
]
