"""From a file being read to lines that PostgreSQL's COPY takes."""

import tempfile
from collections.abc import Callable
from datetime import datetime
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
    now = timezone.now()
    message = _("Reading %(file)s") % {"file": reading.name}
    progress(0, size, message)
    for number, story in enumerate(reading, 1):
        spool.write(_copy_line(study.pk, story, reading.name, now))
        if number % STORIES_A_STEP == 0:
            progress(reading.stream.tell(), size, message)
    progress(size, size, _("Storing the stories"))


def _copy_line(study_id: int, story: ParsedStory, source: str, now: datetime) -> bytes:
    fields = (
        str(study_id),
        story.external_id,
        story.title,
        source[-LONGEST_SOURCE:],
        _array(story.sentences),
        _array(story.roles),
        now.isoformat(),
    )
    line = "\t".join(map(_escaped, fields))
    return f"{line}\n".encode()


def _array(values: tuple[str, ...]) -> str:
    quoted = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
    return '{"' + '","'.join(quoted) + '"}'


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
