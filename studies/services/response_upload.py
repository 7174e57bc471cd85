"""Files of responses that people send: kept in MEDIA_ROOT, imported by a job."""

from typing import Any

from django.core.files.base import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies.jobs import JobContext, handles
from studies.models import Study
from studies.services.kept_files import keep_file, open_kept, refuse_file
from studies.services.response_import import import_responses
from studies.services.response_reading import AUTO

KIND = "import_responses"
FOLDER = "responses"


def keep_upload(*, file: "File[Any]", format: str = AUTO) -> dict[str, Any]:
    """Store the file; the payload of the job that imports it. Raises CannotKeep."""
    kept = keep_file(file=file, folder=FOLDER, unnamed=_("responses"))
    return {**kept, "format": format}


@handles(KIND, name=gettext_lazy("Import responses"))
def run_import(job: JobContext) -> None:
    """The job: import the kept file. Its result is the import's report."""
    payload = job.payload
    with open_kept(payload) as source:
        outcome = import_responses(
            study=Study.objects.get(jobs=job.job.pk),
            source=source,
            name=payload["name"],
            fmt=payload["format"],
            progress=job.progress,
        )
    job.result(outcome.as_dict())
    if not outcome.ok:
        refuse_file(outcome.problem_count)
