"""The answer at /metrics."""

import logging
import os
from collections.abc import Iterator

from django.conf import settings
from django.db import Error, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.utils.module_loading import import_string
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.metrics.broker import broker_families
from config.metrics.folder import VARIABLE
from config.metrics.steps import OF_THIS_PROCESS

logger = logging.getLogger(__name__)
# Less than Prometheus waits.
MOST_SECONDS_IN_THE_DATABASE = 4


def answer(request: HttpRequest) -> HttpResponse:
    """All figures, in the text format of Prometheus.

    Security: whoever sends the token of FABULA_METRICS_TOKEN; others get 401. Where the setting is
    empty there is no such page (404). It holds numbers, kinds of jobs and names of routes alone.
    """
    if not settings.METRICS_TOKEN:
        return HttpResponse(status=404)
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(generate_latest(AllFigures()), content_type=CONTENT_TYPE_LATEST)


class AllFigures(Collector):
    """Counts of the web processes, and how the database and the broker stand at this moment."""

    def collect(self) -> Iterator[Metric]:
        yield from _of_the_processes().collect()
        yield from broker_families()
        yield from _database_families()


def _of_the_processes() -> Collector:
    """Of all processes of this gunicorn; of this one alone where no gunicorn has started it."""
    if VARIABLE in os.environ:
        return MultiProcessCollector(None)  # type: ignore[no-untyped-call]
    return OF_THIS_PROCESS


def _database_families() -> Iterator[Metric]:
    """What the rooms tell of their tables; without the database, only that it is away."""
    try:
        families = _read_tables()
    except Error as error:
        logger.warning("no figures: the database does not answer (%s)", type(error).__name__)
        families = []
    yield GaugeMetricFamily(
        "fabula_database_up", "Whether the database answers.", value=bool(families)
    )
    yield from families


def _read_tables() -> list[Metric]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = %s", [MOST_SECONDS_IN_THE_DATABASE * 1000])
        return [family for name in settings.METRICS_OF_TABLES for family in import_string(name)()]
