"""What a request may send before anybody has looked at it.

Django reads a form, files and all, before it knows who sent it, and bounds all but the files.
"""

import time
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler
from django.urls import Resolver404, resolve

TAKING_FILES = {
    "admin:studies_story_import",
    "admin:evaluation_launch",
    "admin:evaluation_results_upload",
    "api-stories",
    "api-responses",
    "api-file-statistics",
    "api-file-agreement",
    "api-result-files",
    "api-evaluation-rounds",
    "api-evaluation-estimate",
}


class SentTooSlowly(SuspiciousOperation):
    """The rest of the request is not waited for."""


class BoundedUploadHandler(FileUploadHandler):
    """Refuses too large a request unread, and one that takes too long in the middle of a file."""

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        request: Any = self.request
        if content_length > most_bytes(request.path_info):
            # The page that says so looks for a token in the form, and would ask again.
            request._mark_post_parse_error()
            raise RequestDataTooBig("The request is larger than what is taken here.")
        self.until = time.monotonic() + settings.UPLOAD_MAX_SECONDS

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if time.monotonic() > self.until:
            raise SentTooSlowly("The request took too long.")
        return raw_data

    def file_complete(self, file_size: int) -> Any:
        """The next handler keeps the file."""


def most_bytes(path: str) -> int:
    """Few addresses take files. One a little above the limit is refused there, with a sentence."""
    if _name_of(path) in TAKING_FILES:
        return int(2 * settings.STORY_UPLOAD_MAX_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def _name_of(path: str) -> str:
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""
