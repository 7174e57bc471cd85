"""Files that people send, kept in MEDIA_ROOT until a job has read them."""

import logging
import uuid
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.jobs import JobFailure

logger = logging.getLogger(__name__)

LONGEST_SUFFIX = 10


class CannotKeep(Exception):
    """The file could not be stored; the text says why. Nothing of it is left."""


def keep_file(*, file: "File[Any]", folder: str, unnamed: str) -> dict[str, str]:
    """Store the file under a name of our own: where it is, and what it was called.

    Raises CannotKeep.
    """
    name = PurePath(file.name or "").name.replace("\0", "") or unnamed
    suffix = PurePath(name).suffix
    if len(suffix) > LONGEST_SUFFIX or not suffix[1:].isalnum():
        suffix = ""
    place = f"{folder}/{uuid.uuid4().hex}{suffix}"
    try:
        stored = default_storage.save(place, file)
    except OSError as error:
        with suppress(OSError):
            default_storage.delete(place)
        raise CannotKeep(
            _("The file could not be stored on the server: %(reason)s. Nothing was imported.")
            % {"reason": (error.strerror or str(error)).lower()}
        ) from error
    return {"file": stored, "name": name}


def kept_places(payload: Any) -> Iterator[str]:
    """Where the files lie that a job's payload names, at whatever depth."""
    match payload:
        case {"file": str(place), "name": str()}:
            yield place
        case dict():
            yield from chain.from_iterable(map(kept_places, payload.values()))
        case list():
            yield from chain.from_iterable(map(kept_places, payload))


def open_kept(payload: dict[str, Any]) -> BinaryIO:
    """Raises JobFailure."""
    try:
        return open(default_storage.path(payload["file"]), "rb")
    except OSError as error:
        logger.warning("%s: %s. Do all hosts share FABULA_VAR?", error.filename, error.strerror)
        raise JobFailure(
            _(
                "The uploaded file is not on the server that does this. Upload it again. Where "
                "that does not help, an administrator has to see that all servers share one folder."
            )
        ) from error


def refuse_file(problem_count: int) -> None:
    """Raises JobFailure: nothing of the file came in."""
    message = ngettext(
        "Nothing was imported: %(count)s problem in the file.",
        "Nothing was imported: %(count)s problems in the file.",
        problem_count,
    )
    raise JobFailure(message % {"count": f"{problem_count:,}"})
