"""Short ways to read a file in the tests."""

import io

from studies.story_files import ParsedStory, ParseReport, StoryReading

ROC_HEADER = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n"


def read(content: bytes | str, format: str = "auto") -> tuple[list[ParsedStory], ParseReport]:
    data = content.encode() if isinstance(content, str) else content
    reading = StoryReading(io.BytesIO(data), name="file", format=format)
    return list(reading), reading.report()


def problems(content: bytes | str, format: str = "auto") -> list[str]:
    return [str(problem) for problem in read(content, format)[1].problems]
