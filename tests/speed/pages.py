"""The pages that people look at, on a site with many rows; what each costs."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from tests.marketplace_site.people import browser_of
from tests.speed.many_rows import TABLES, Crowded


@dataclass(frozen=True)
class Cost:
    """`most_read`: of one large table's rows by one statement."""

    statements: int
    milliseconds: float
    most_read: int
    by: str


# What these need is kept from the first look: figures that take long to count, prepared queries.
KEPT = {
    *("studies.study", "studies.round", "front page", "studies_study_change"),
    *("studies_round_change", "studies_round_live"),
    *("worker's list", "worker's group", "worker's history", "worker's account"),
}


def pages_of(site: Crowded) -> Iterator[tuple[str, Client, str]]:
    """Name, whose browser, address."""
    reader = Client()
    reader.force_login(site.reader)
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}_changelist"
        # What has pages of its own instead of a list is not large.
        with suppress(NoReverseMatch):
            yield model._meta.label_lower, reader, reverse(f"admin:{name}")
    responses = reverse("admin:studies_response_changelist")
    yield "responses, page 3", reader, f"{responses}?p=3"
    yield "unconfirmed responses", reader, f"{responses}?state__exact=unconfirmed"
    yield "front page", reader, reverse("admin:index")
    for name, pk in (
        ("studies_study_change", site.round.study_id),
        ("studies_round_change", site.round.pk),
        ("studies_round_live", site.round.pk),
    ):
        yield name, reader, reverse(f"admin:{name}", args=[pk])
    worker = browser_of(site.worker)
    yield "worker's list", worker, reverse("worker-list")
    yield "worker's group", worker, reverse("worker-group", args=[site.hit_type.group_id])
    yield "worker's history", worker, reverse("worker-history")
    yield "worker's messages", worker, reverse("worker-messages")
    yield "worker's account", worker, reverse("worker-account")


def costs_of_pages(site: Crowded, *, kept_only: bool = False) -> dict[str, Cost]:
    pages = [page for page in pages_of(site) if page[0] in KEPT or not kept_only]
    for name, browser, address in pages:
        if name in KEPT:
            browser.get(address)
    return {name: _cost_of(browser, address) for name, browser, address in pages}


def _cost_of(browser: Client, address: str) -> Cost:
    with CaptureQueriesContext(connection) as captured:
        began = time.perf_counter()
        response = browser.get(address)
        seconds = time.perf_counter() - began
    assert response.status_code == 200, address
    asked = [query["sql"] for query in captured.captured_queries]
    most, by = max((rows_read(sql), sql) for sql in asked if sql.startswith("SELECT"))
    return Cost(len(asked), round(1000 * seconds, 1), most, by)


def rows_read(statement: str) -> int:
    """As PostgreSQL counted them, of the large table that it read most of."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}")
        (plan,) = cursor.fetchone()
    found = plan if isinstance(plan, list) else json.loads(plan)
    return max((_read_by(node) for node in _nodes(found[0]["Plan"])), default=0)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)


def _read_by(node: dict[str, Any]) -> int:
    if node.get("Relation Name") not in TABLES:
        return 0
    left_out = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return int((node["Actual Rows"] + left_out) * node["Actual Loops"])
