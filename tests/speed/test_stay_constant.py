"""The main path costs the same whatever is open: no step reads through a big table."""

import re

import pytest
from django.db import connection

from tests.speed.published import STEPS, publish
from tests.speed.test_stay_within_budgets import BUDGETS

pytestmark = pytest.mark.django_db
BIG = "marketplace_hit|marketplace_assignment|studies_task|studies_slot|studies_assignment"
# Bitmap scans and sorts read as much as there is, too: an ordered index answers with one row.
READS_ALL = re.compile(rf"(Seq Scan|Bitmap Heap Scan) on ({BIG})\b")


def test_at_100_000_open_tasks_every_step_takes_as_many_statements_and_reads_by_index() -> None:
    _round, journey = publish(tasks=100_000)

    assert journey.do_one() == BUDGETS

    assert READS_ALL.search(_plan("SELECT max(position) FROM studies_task"))
    for step in STEPS:
        for statement in journey.statements[step]:
            if not statement.startswith(("SELECT", "UPDATE", "EXECUTE")):
                continue
            for mode in ("force_custom_plan", "force_generic_plan"):
                plan = _plan(statement, mode)
                assert not READS_ALL.search(plan), f"{step}, {mode}\n{statement}\n{plan}"


def _plan(statement: str, mode: str = "auto") -> str:
    """`mode`: whether a prepared statement is planned for its arguments or once for all."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL plan_cache_mode = {mode}")
        cursor.execute(f"EXPLAIN {statement}")
        return "\n".join(line for (line,) in cursor.fetchall())
