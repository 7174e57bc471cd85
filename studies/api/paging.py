"""Long lists: a page begins behind the last id of the one before; a stream has a line a row.

Both read by primary key, so a page late in a million rows costs what the first one does.
"""

from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import urlencode

import orjson
from django.db.models import Model, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

M = TypeVar("M", bound=Model)
NDJSON = "application/x-ndjson"
BATCH = 500
LARGEST_ID = 2**63 - 1
Kind = type[serializers.BaseSerializer[Any]]


class PageQuery(serializers.Serializer[Any]):
    cursor = serializers.IntegerField(
        min_value=0,
        max_value=LARGEST_ID,
        required=False,
        help_text="Where the page begins: taken from `next` of the page before.",
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=500, default=100, help_text="How many rows the page has at most."
    )


def page_schema(kind: Kind) -> Any:
    """For the document: one page of such rows."""
    name = kind.__name__.removesuffix("Serializer")
    fields = {
        "results": kind(many=True),
        "next": serializers.URLField(
            allow_null=True, help_text="The address of the next page; null on the last one."
        ),
    }
    return inline_serializer(f"{name}Page", fields)


def page_of(request: Request, rows: QuerySet[M], kind: Kind, asked: dict[str, Any]) -> Response:
    """Rows in the order of their ids."""
    limit = asked["limit"]
    found = list(rows.filter(pk__gt=asked.get("cursor", 0)).order_by("pk")[: limit + 1])
    following = None
    if len(found) > limit:
        query = request.query_params.dict() | {"cursor": found[limit - 1].pk}
        following = request.build_absolute_uri(f"{request.path}?{urlencode(query)}")
    return Response({"results": kind(found[:limit], many=True).data, "next": following})


class NdjsonRenderer(BaseRenderer):
    """Names the type of a stream: it is written by `stream_of`."""

    media_type = NDJSON
    format = "ndjson"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        return orjson.dumps(data)


def stream_of(rows: QuerySet[M], kind: Kind, name: str) -> StreamingHttpResponse:
    """All rows, batch by batch, in constant memory."""
    response = StreamingHttpResponse(_lines(rows.order_by("pk"), kind), content_type=NDJSON)
    response["Content-Disposition"] = f'attachment; filename="{name}.ndjson"'
    return response


def _lines(rows: QuerySet[M], kind: Kind) -> Iterator[bytes]:
    last = 0
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        last = batch[-1].pk
        yield b"".join(orjson.dumps(row) + b"\n" for row in kind(batch, many=True).data)
