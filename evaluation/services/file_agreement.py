"""The agreement of raters in a file that somebody sends, as a job: nothing of it enters a study."""

from dataclasses import asdict
from typing import Any

from django.core.files.base import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.rating_file import RatingColumns, Ways
from studies.jobs import JobContext, JobFailure, handles
from studies.services.kept_files import keep_file, open_kept

KIND = "file_agreement"
FOLDER = "ratings"


def keep_ratings(*, file: "File[Any]", columns: RatingColumns, ways: Ways) -> dict[str, Any]:
    """Store the file; the payload of the job that reads it. Raises CannotKeep."""
    kept = keep_file(file=file, folder=FOLDER, unnamed=_("ratings"))
    return {"file": kept, "columns": asdict(columns), "ways": asdict(ways)}


@handles(KIND, name=gettext_lazy("Agreement of raters in a file"))
def run_agreement(job: JobContext) -> None:
    from evaluation.file_agreement import REFUSALS, agreement_of, in_lines

    kept, ways = job.payload["file"], Ways(**job.payload["ways"])
    columns = RatingColumns(**job.payload["columns"])
    with open_kept(kept) as source:
        try:
            found = agreement_of(source, name=kept["name"], columns=columns, ways=ways)
        except REFUSALS as refusal:
            raise JobFailure(str(refusal)) from refusal
    job.result({"agreement": found, "written": in_lines(found)})
