"""Files that programs send: in a form, or as the body itself."""

import time
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.parsers import BaseParser

from studies.api.paging import NDJSON

CHUNK = 2**16


class FileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(max_length=200)

    def validate_file(self, file: Any) -> Any:
        return not_too_large(file)


def not_too_large(file: Any) -> Any:
    """The file. Raises ValidationError."""
    refuse_size(file.size or 0)
    return file


def refuse_size(size: int) -> None:
    """Raises ValidationError."""
    limit = settings.STORY_UPLOAD_MAX_BYTES
    if size > limit:
        words = _("This file has %(size)s. At most %(limit)s can be uploaded.")
        sizes = {"size": filesizeformat(size), "limit": filesizeformat(limit)}
        raise serializers.ValidationError(words % sizes)


class FilesField(serializers.ListField):
    """One file or several; all together they have at most what one may have."""

    child = serializers.FileField(max_length=200)

    def get_value(self, dictionary: Any) -> Any:
        value = super().get_value(dictionary)
        return [value] if isinstance(value, UploadedFile) else value

    def to_internal_value(self, data: Any) -> Any:
        files = super().to_internal_value(data)
        refuse_size(sum(file.size or 0 for file in files))
        return files


class NdjsonParser(BaseParser):
    """The body is the file; what a form would say besides it stands in the query."""

    media_type = NDJSON

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        assert parser_context is not None, "a view has one"
        request = parser_context["request"]
        size = int(request.META.get("CONTENT_LENGTH") or 0)
        if size > settings.STORY_UPLOAD_MAX_BYTES:
            raise RequestDataTooBig("The file is larger than what is taken here.")
        query = request.query_params.dict()
        name = query.pop("name", "") or "upload.jsonl"
        file = TemporaryUploadedFile("upload", NDJSON, size, None)
        # As those of a form, it is closed with the request.
        request._request._files = MultiValueDict({"file": [file]})
        _fill(file, stream)
        file.name = name
        return {**query, "file": file}


def _fill(file: TemporaryUploadedFile, stream: IO[bytes]) -> None:
    until = time.monotonic() + settings.UPLOAD_MAX_SECONDS
    while chunk := stream.read(CHUNK):
        if time.monotonic() > until:
            raise SuspiciousOperation("The request took too long.")
        file.write(chunk)
    file.seek(0)


def file_request(kind: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """For the document: what an upload can be."""
    return {"multipart/form-data": kind, NDJSON: OpenApiTypes.STR}


class BodyQuery(serializers.Serializer[Any]):
    """For the document: what stands in the query where the body is the file."""

    name = serializers.CharField(
        max_length=200, required=False, help_text="What the file is called, where it is the body."
    )
