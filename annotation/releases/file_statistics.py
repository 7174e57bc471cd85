"""Statistics of files of responses, all of them together; of files that people send, by a job."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, BinaryIO

from django.core.files.base import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.releases.figure_texts import WRITERS
from annotation.tasks.state_annotation.statistics import Statistics
from studies.jobs import JobContext, JobFailure, handles
from studies.services.kept_files import keep_file, open_kept
from studies.services.response_reading import ResponseReading
from studies.story_files.results import problem_lines

KIND = "file_statistics"
FOLDER = "statistics"


class CannotCount(Exception):
    """`lines` say what is wrong in which file."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def statistics_of(
    files: Iterable[tuple[str, BinaryIO]], *, progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Of files with their names, as one dataset. Raises CannotCount."""
    statistics = Statistics()
    for name, source in files:
        reading = ResponseReading(source, name=name)
        for row in reading:
            statistics.add(row.content.item, row.content.answers)
            if progress is not None:
                progress(statistics.tuples)
        found = reading.findings
        if found.problem_count:
            raise CannotCount(problem_lines(name, tuple(found.problems), found.problem_count))
    return statistics.as_dict()


def keep_uploads(*, files: Iterable["File[Any]"], format: str) -> dict[str, Any]:
    """Store the files; the payload of the job that counts them. Raises CannotKeep."""
    kept = [keep_file(file=file, folder=FOLDER, unnamed=_("responses")) for file in files]
    return {"files": kept, "format": format}


@handles(KIND, name=gettext_lazy("Statistics of files"))
def run_statistics(job: JobContext) -> None:
    payload = job.payload
    with ExitStack() as opened:
        files = [(kept["name"], opened.enter_context(open_kept(kept))) for kept in payload["files"]]
        try:
            figures = statistics_of(files, progress=job.progress)
        except CannotCount as refusal:
            job.result({"problems": refusal.lines})
            raise JobFailure(_("Not everything in these files can be counted.")) from refusal
    job.result({"statistics": figures, "written": WRITERS[payload["format"]](figures)})
