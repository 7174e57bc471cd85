"""Rounds with many open tasks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e import study
from tests.stack import Stack

Query = Callable[..., list[Any]]

# An open HIT, its slot and a task of a published round, copied so many times.
COPY_ROUND = """
WITH made AS (
  INSERT INTO studies_slot (round_id, key, hit_id, shown, spent)
  SELECT id, gen_random_uuid(), upper(substr(md5(n::text || random()) || md5(n::text), 1, 30)),
         true, false
  FROM studies_round, generate_series(1, %s) n
  RETURNING hit_id, key
)
INSERT INTO marketplace_hit ({columns}, hit_id, requester_annotation)
SELECT {columns}, made.hit_id, 'fabula:' || made.key FROM made,
       (SELECT {columns} FROM marketplace_hit WHERE available = 1 ORDER BY id DESC LIMIT 1) sample
"""
COPY_TASKS = """
INSERT INTO studies_task (round_id, story_id, position, payload, overlap, taken, tie_break)
SELECT round_id, story_id, position + n, payload, overlap, 0, (random() * 2147483647)::int
FROM (SELECT * FROM studies_task ORDER BY round_id DESC, position DESC LIMIT 1) sample,
     generate_series(1, %s) n
"""


def open_round(stack: Stack, folder: Path, *, tasks: int) -> None:
    """A round with so many open tasks, the first one published for real."""
    study.make_requester(stack)
    study.make_study(stack, folder, study.STORIES[:1])
    stack.query("UPDATE studies_study SET records_process = false")
    study.launch_round(stack, overlap=1, lifetime="30d")
    fill_round(stack.query, tasks=tasks)
    stack.query("VACUUM ANALYZE")


def fill_round(query: Query, *, tasks: int) -> None:
    """Copy the one round's first HIT, slot and task until there are so many."""
    add_tasks(query, count=tasks - 1)
    query("UPDATE marketplace_requester SET balance_usd = 1e9, on_hold_usd = 1e8")


def add_tasks(query: Query, *, count: int) -> None:
    """So many more open tasks, like one that nobody has accepted."""
    columns = ", ".join(
        name
        for (name,) in query(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND table_name = 'marketplace_hit' AND is_generated = 'NEVER' "
            "AND column_name NOT IN ('id', 'hit_id', 'requester_annotation')"
        )
    )
    query(COPY_ROUND.replace("{columns}", columns), count)
    query(COPY_TASKS, count)
    query("UPDATE marketplace_hittype SET available_count = available_count + %s", count)
