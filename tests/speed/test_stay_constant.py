"""The main path costs the same whatever is open: no step reads through a big table."""

import re
from collections.abc import Iterator

import pytest
from django.db import connection

from studies.models import Round, Study
from tests.speed.published import STEPS, Journey, publish
from tests.speed.test_stay_within_budgets import BUDGETS
from tests.studies.factories import make_round

pytestmark = pytest.mark.django_db
BIG = "marketplace_hit|marketplace_assignment|studies_task|studies_slot|studies_assignment"
# Bitmap scans and sorts read as much as there is, too: an ordered index answers with one row.
READS_ALL = re.compile(rf"(Seq Scan|Bitmap Heap Scan) on ({BIG})\b")

READS_A_TABLE = re.compile(rf"Seq Scan on ({BIG})\b")


def test_at_100_000_open_tasks_every_step_takes_as_many_statements_and_reads_by_index() -> None:
    round, journey = publish(tasks=100_000)

    assert journey.do_one() == BUDGETS

    assert READS_ALL.search(_plan("SELECT max(position) FROM studies_task"))
    assert not [plan for plan in _plans(journey) if READS_ALL.search(plan)]

    # What limits workers is asked of a worker's own rows, which may be read by a bitmap.
    Round.objects.filter(pk=round.pk).update(worker_cap=20)
    Study.objects.filter(pk=round.study_id).update(worker_cap=100)
    round.apart_from.add(make_round(round.study, limit=1))
    # The first time, what asks about limits is prepared.
    journey.do_one()
    assert journey.do_one() == BUDGETS
    assert not [plan for plan in _plans(journey) if READS_A_TABLE.search(plan)]


def _plans(journey: Journey) -> Iterator[str]:
    for step in STEPS:
        for statement in journey.statements[step]:
            if not statement.startswith(("SELECT", "UPDATE", "EXECUTE")):
                continue
            for mode in ("force_custom_plan", "force_generic_plan"):
                yield f"{step}, {mode}\n{statement}\n{_plan(statement, mode)}"


def _plan(statement: str, mode: str = "auto") -> str:
    """`mode`: whether a prepared statement is planned for its arguments or once for all."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL plan_cache_mode = {mode}")
        cursor.execute(f"EXPLAIN {statement}")
        return "\n".join(line for (line,) in cursor.fetchall())
