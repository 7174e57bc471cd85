"""What an export reads of its responses, batch by batch, while the one before is written."""

from array import array
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from itertools import starmap
from typing import Any, NamedTuple

from django.db import connection, connections, transaction
from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast

from database.any_of import AnyOf
from studies.models import Response, ResponseState
from studies.services.response_layout import ENVELOPED
from studies.withdrawn import WITHDRAWN

BATCH = 2_000
Rows = list[tuple[Any, ...]]


class Source(NamedTuple):
    """What an export reads of one response; the second half where rows say it."""

    assignment: int
    task_type: str
    answers: str
    marketplace_id: str
    round: int
    item: str
    schema_version: int = 0
    cautions: str = ""
    submitted_at: datetime | None = None
    confirmed_at: datetime | None = None
    pseudonym: str | None = None


# JSON comes as text: decoding it here is cheaper than through the field.
_COLUMNS = (
    *("assignment_id", "task_type", Cast("answers", TextField()), "assignment__marketplace_id"),
    *("assignment__task__round_id", Cast("assignment__task__payload", TextField())),
)
_ENVELOPE = (
    *("schema_version", Cast("cautions", TextField()), "submitted_at", "confirmed_at"),
    "assignment__participant__pseudonym",
)
# For so many ids the server would choose to read whole tables, once a batch.
_BY_PRIMARY_KEY = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"


def read_sources(ids: "array[int]", *, fmt: str) -> Iterator[Source]:
    """The rows of these ids; what ceased to be confirmed, or was withdrawn meanwhile, stays out."""
    columns = _COLUMNS + _ENVELOPE if fmt in ENVELOPED else _COLUMNS
    batches = (
        _standing(ids[start : start + BATCH].tolist()).values_list(*columns)
        for start in range(0, len(ids), BATCH)
    )
    for rows in map(_read, batches) if connection.in_atomic_block else _read_ahead(batches):
        yield from starmap(Source, rows)


def _standing(ids: list[int]) -> QuerySet[Response]:
    """Asks for the withdrawn ones by their ids, too: else each batch would read all there are."""
    withdrawn = WITHDRAWN.filter(AnyOf(F("response"), ids)).values("response")
    rows = Response.objects.filter(AnyOf(F("pk"), ids), state=ResponseState.CONFIRMED)
    return rows.exclude(pk__in=withdrawn).order_by("pk")


def _read(batch: "QuerySet[Response, Any]") -> Rows:
    """Holds no lock and no snapshot when it is over."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BY_PRIMARY_KEY)
        cursor.execute(*batch.query.sql_with_params())
        rows: Rows = cursor.fetchall()
    return rows


def _read_ahead(batches: "Iterator[QuerySet[Response, Any]]") -> Iterator[Rows]:
    """On a connection of its own, which sees nothing of a transaction that is open here."""
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as reader:
        try:
            coming: deque[Future[Rows]] = deque()
            for batch in batches:
                coming.append(reader.submit(_read, batch))
                if len(coming) > 1:
                    yield coming.popleft().result()
            yield from (rows.result() for rows in coming)
        finally:
            reader.submit(connections.close_all).result()
