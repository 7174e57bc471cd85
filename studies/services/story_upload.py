"""Story files that people send: kept in MEDIA_ROOT, imported by a job."""

from typing import Any

from django.core.files.base import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies.jobs import JobContext, handles
from studies.models import Study
from studies.services.kept_files import keep_file, open_kept, refuse_file
from studies.services.stories import import_stories
from studies.story_files import AUTO

KIND = "import_stories"
FOLDER = "stories"


def keep_upload(*, file: "File[Any]", format: str = AUTO, dry_run: bool = False) -> dict[str, Any]:
    """Store the file; the payload of the job that imports it. Raises CannotKeep."""
    kept = keep_file(file=file, folder=FOLDER, unnamed=_("story file"))
    return {**kept, "format": format, "dry_run": dry_run}


@handles(KIND, name=gettext_lazy("Import stories"))
def run_import(job: JobContext) -> None:
    """The job: import the kept file, or check it. Its result is the import's report; a check that
    found the file broken has done what it was asked."""
    payload = job.payload
    study = Study.objects.get(jobs=job.job.pk)
    with open_kept(payload) as source:
        outcome = import_stories(
            study=study,
            source=source,
            name=payload["name"],
            format=payload["format"],
            dry_run=payload["dry_run"],
            progress=job.progress,
        )
    job.result(outcome.as_dict())
    if not outcome.ok and not outcome.dry_run:
        refuse_file(outcome.problem_count)
