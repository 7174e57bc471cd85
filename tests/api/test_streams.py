"""A stream holds so many rows at once, however many there are."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studies.api import paging
from studies.models import Contribution
from tests.annotation.review.factories import judge, make_turn
from tests.api.conftest import API, Site

STREAMS = {"stories": 3, "responses": 3, "reviews": 3}


@pytest.mark.parametrize(("what", "rows"), STREAMS.items())
def test_rows_are_read_batch_by_batch_as_they_are_sent(
    site: Site, what: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "BATCH", 1)
    for contribution in Contribution.objects.order_by("pk"):
        judge(make_turn(contribution, site.user("reviewer")))
    answer: Any = site.client("researcher").get(f"{API}/studies/evenings/{what}.ndjson")
    pieces = iter(answer.streaming_content)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        lines, reads = [], []
        for piece in pieces:
            lines += [json.loads(line) for line in piece.splitlines()]
            reads.append(len(queries))

    # One read a row before it is sent, and one that finds nothing more.
    assert reads == list(range(1, rows + 1))
    assert len(queries) == rows + 1
    assert all("LIMIT 1" in query["sql"] for query in queries)
    assert len(lines) == rows
