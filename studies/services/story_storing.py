"""From a file being read to lines that PostgreSQL's COPY takes."""

import tempfile
from collections.abc import Callable
from functools import lru_cache
from typing import IO

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.models import Story, Study
from studies.story_files import ParsedStory, StoryReading

Progress = Callable[[int, int | None, str], None]
STORIES_A_STEP = 1_000
LONGEST_SOURCE = 200
COLUMNS = ("study_id", "external_id", "title", "source", "sentences", "roles", "created_at")


def spool_stories(
    reading: StoryReading, spool: IO[bytes], study: Study, progress: Progress
) -> None:
    """Read to the end, a line of `COLUMNS` a story; after a problem only to find more of them."""
    size = reading.stream.seek(0, 2)
    make_line = _line_maker(study, reading.name)
    message = _("Reading %(file)s") % {"file": reading.name}
    progress(0, size, message)
    for number, story in enumerate(reading, 1):
        spool.write(make_line(story).encode())
        if number % STORIES_A_STEP == 0:
            progress(reading.stream.tell(), size, message)
    progress(size, size, message)


def _line_maker(study: Study, source: str) -> Callable[[ParsedStory], str]:
    """What makes a line of `COLUMNS` out of a story. Stories hold no NUL: it stands for joints."""
    head = f"{study.pk}\t"
    origin = _escaped(source[-LONGEST_SOURCE:])
    now = timezone.now().isoformat()

    @lru_cache(maxsize=100)
    def end_of_line(roles: tuple[str, ...]) -> str:
        return f"\t{_array(roles)}\t{now}\n"

    def make_line(story: ParsedStory) -> str:
        names = _escaped(f"{story.external_id}\0{story.title}").replace("\0", "\t")
        return f"{head}{names}\t{origin}\t{_array(story.sentences)}{end_of_line(story.roles)}"

    return make_line


def _array(values: tuple[str, ...]) -> str:
    quoted = "\0".join(values).replace("\\", "\\\\").replace('"', '\\"')
    return f'{{"{_escaped(quoted)}"}}'.replace("\0", '","')


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def copy(spool: IO[bytes], seen: dict[str, tuple[int, bytes]], skipped: set[str]) -> None:
    """Store the spooled lines; they are in the order of `seen`."""
    columns = ", ".join(COLUMNS)
    with tempfile.TemporaryFile() as chosen:
        source = spool
        if skipped:
            spool.seek(0)
            chosen.writelines(
                line for key, line in zip(seen, spool, strict=True) if key not in skipped
            )
            source = chosen
        source.seek(0)
        with connection.cursor() as cursor:
            cursor.copy_expert(f"COPY {Story._meta.db_table} ({columns}) FROM STDIN", source)
