"""Lists, dashboards and workers' pages on a site with very many rows."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.test.utils import override_settings, setup_databases, teardown_databases

from benchmarks.figures import Figure, summary
from tests.annotation import large_pages
from tests.annotation.scenario import RESPONSES, make_judged
from tests.speed.many_rows import fill
from tests.speed.pages import Cost, costs_of_pages


def measure_pages(*, rows: int, runs: int) -> list[Figure]:
    with _database_of_its_own(), transaction.atomic():
        site = fill(rows)
        taken = [costs_of_pages(site) for _ in range(runs)]
        transaction.set_rollback(True)
    label = f"{rows:,} rows"
    return [figure for name in taken[0] for figure in _figures(name, label, taken)]


def measure_large_study(*, runs: int) -> list[Figure]:
    """The pages of review, standing and releases at the size of the published study."""
    with _database_of_its_own():
        scenario, release = make_judged()
        # As a study's rows are after weeks of work: committed, and seen to by autovacuum.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        taken = [large_pages.milliseconds_of_pages(scenario, release) for _ in range(runs)]
    label = f"{RESPONSES:,} responses"
    return [
        _figure(f"{name}, time", label, "ms", [run[name] for run in taken]) for name in taken[0]
    ]


def _figures(name: str, label: str, taken: list[dict[str, Cost]]) -> list[Figure]:
    costs = [run[name] for run in taken]
    return [
        _figure(f"{name}, time", label, "ms", [cost.milliseconds for cost in costs]),
        _figure(f"{name}, statements", label, "", [float(cost.statements) for cost in costs]),
        _figure(f"{name}, most read", label, "rows", [float(cost.most_read) for cost in costs]),
    ]


def _figure(name: str, label: str, unit: str, values: list[float]) -> Figure:
    return summary(name, label, unit, values, statistics.median(values) or 1.0)


@contextmanager
def _database_of_its_own() -> Iterator[None]:
    # Without Django's test environment, in which each template keeps a copy of its context.
    made = setup_databases(verbosity=0, interactive=False)
    try:
        with override_settings(ALLOWED_HOSTS=["testserver"]):
            yield
    finally:
        connection.close()
        teardown_databases(made, verbosity=0)
