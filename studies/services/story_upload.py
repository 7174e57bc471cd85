"""Story files brought in through the admin: kept in MEDIA_ROOT, imported by a job."""

import uuid
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.jobs import JobContext, JobFailure, handles
from studies.models import Study
from studies.services.stories import import_stories
from studies.story_files import AUTO

KIND = "import_stories"
FOLDER = "stories"
LONGEST_SUFFIX = 10


class CannotKeep(Exception):
    """The file could not be stored; the text says why. Nothing of it is left."""


def keep_upload(*, file: "File[Any]", format: str = AUTO, dry_run: bool = False) -> dict[str, Any]:
    """Store the file under a name of our own; the payload of the job that imports it.

    Raises CannotKeep.
    """
    name = PurePath(file.name or "").name.replace("\0", "") or _("story file")
    suffix = PurePath(name).suffix
    if len(suffix) > LONGEST_SUFFIX or not suffix[1:].isalnum():
        suffix = ""
    place = f"{FOLDER}/{uuid.uuid4().hex}{suffix}"
    try:
        stored = default_storage.save(place, file)
    except OSError as error:
        with suppress(OSError):
            default_storage.delete(place)
        raise CannotKeep(
            _("The file could not be stored on the server: %(reason)s. Nothing was imported.")
            % {"reason": (error.strerror or str(error)).lower()}
        ) from error
    return {"file": stored, "name": name, "format": format, "dry_run": dry_run}


@handles(KIND)
def run_import(job: JobContext) -> None:
    """The job: import the kept file. Its result is the import's report."""
    payload = job.payload
    study = Study.objects.get(jobs=job.job.pk)
    try:
        source = open(default_storage.path(payload["file"]), "rb")  # noqa: SIM115
    except OSError as error:
        raise JobFailure(
            _("The uploaded file is gone from this server. Upload it again.")
        ) from error
    with source:
        outcome = import_stories(
            study=study,
            source=source,
            name=payload["name"],
            format=payload["format"],
            dry_run=payload["dry_run"],
            progress=job.progress,
        )
    job.result(outcome.as_dict())
    if not outcome.ok:
        message = ngettext(
            "Nothing was imported: %(count)s problem in the file.",
            "Nothing was imported: %(count)s problems in the file.",
            outcome.problem_count,
        )
        raise JobFailure(message % {"count": f"{outcome.problem_count:,}"})
