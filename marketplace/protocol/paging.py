"""Pages through rows by key, so that rows added or removed meanwhile neither hide nor repeat any.

The token is signed and bound to the requester, the operation and its filters. As on MTurk every
page with results has one, the last too: clients go on until a page is empty.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.utils.dateparse import parse_datetime

from marketplace.protocol.errors import ValueInvalid
from marketplace.protocol.registry import Call

DEFAULT_SIZE = 10
SALT = "marketplace.paging"
Row = TypeVar("Row", bound=Model)


def page_by_id(rows: QuerySet[Row], call: Call[Any]) -> tuple[list[Row], str | None]:
    """Newest first."""
    after = _read(call)
    if after is not None:
        rows = rows.filter(pk__lt=after[0])
    found = list(rows.order_by("-pk")[: _size(call)])
    return found, _token(found, call, lambda row: [row.pk])


def page_by_time(
    rows: QuerySet[Row], call: Call[Any], *, field: str
) -> tuple[list[Row], str | None]:
    """Oldest first by a time that never changes once set."""
    after = _read(call)
    if after is not None:
        time = parse_datetime(after[0])
        rows = rows.filter(Q((f"{field}__gt", time)) | Q((field, time), ("pk__gt", after[1])))
    found = list(rows.order_by(field, "pk")[: _size(call)])
    return found, _token(found, call, lambda row: [getattr(row, field).isoformat(), row.pk])


def _size(call: Call[Any]) -> int:
    size: int = call.parameters.get("MaxResults", DEFAULT_SIZE)
    return size


def _token(found: list[Row], call: Call[Any], key_of: Callable[[Row], Any]) -> str | None:
    if not found:
        return None
    return signing.Signer(salt=_salt(call)).sign_object(key_of(found[-1]))


def _read(call: Call[Any]) -> Sequence[Any] | None:
    token = call.parameters.get("NextToken")
    if token is None:
        return None
    try:
        key: Sequence[Any] = signing.Signer(salt=_salt(call)).unsign_object(token)
    except signing.BadSignature as error:
        raise ValueInvalid(token, "NextToken", "This call gave out no such token.") from error
    return key


def _salt(call: Call[Any]) -> str:
    filters = {k: v for k, v in call.parameters.items() if k not in ("NextToken", "MaxResults")}
    return f"{SALT}:{call.requester.pk}:{call.operation}:{sorted(filters.items())}"
