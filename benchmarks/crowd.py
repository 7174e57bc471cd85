"""Rounds with many open tasks, and workers who do them over HTTP."""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e import study
from tests.e2e.client import Client
from tests.stack import Stack
from tests.studies.factories import answers_for

# One HIT, one slot and one task of a published round, copied so many times.
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
       (SELECT {columns} FROM marketplace_hit ORDER BY id LIMIT 1) sample
"""
COPY_TASKS = """
INSERT INTO studies_task (round_id, story_id, position, payload, overlap, taken, tie_break)
SELECT round_id, story_id, n + 1, payload, overlap, 0, (random() * 2147483647)::int
FROM studies_task, generate_series(1, %s) n WHERE position = 1
"""


@dataclass
class Worker:
    client: Client
    token: str


def open_round(stack: Stack, folder: Path, *, tasks: int) -> None:
    """A round with so many open tasks, the first one published for real."""
    study.make_requester(stack)
    study.make_study(stack, folder, study.STORIES[:1])
    stack.query("UPDATE studies_study SET records_process = false")
    study.launch_round(stack, overlap=1, lifetime="30d")
    fill_round(stack.query, tasks=tasks)
    stack.query("VACUUM ANALYZE")


def fill_round(query: Callable[..., list[Any]], *, tasks: int) -> None:
    """Copy the one round's first HIT, slot and task until there are so many."""
    columns = ", ".join(
        name
        for (name,) in query(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND table_name = 'marketplace_hit' AND is_generated = 'NEVER' "
            "AND column_name NOT IN ('id', 'hit_id', 'requester_annotation')"
        )
    )
    query(COPY_ROUND.replace("{columns}", columns), tasks - 1)
    query(COPY_TASKS, tasks - 1)
    query("UPDATE marketplace_hittype SET available_count = %s", tasks)
    query("UPDATE marketplace_requester SET balance_usd = 1e9, on_hold_usd = 1e8")


def make_workers(stack: Stack, count: int) -> tuple[str, list[Worker]]:
    """The group, and so many workers who have read the instructions and hold a CSRF token."""
    group: str = stack.query("SELECT group_id FROM marketplace_hittype")[0][0]
    link = study.invitation(stack, secrets.token_hex(4))
    workers = []
    for number in range(count):
        client = Client(stack.worker_site_url)
        client.join(link, f"Worker {number}")
        page = client.get(f"/worker/groups/{group}/")
        workers.append(Worker(client, page.field("csrfmiddlewaretoken")))
    return group, workers


def do_one(stack: Stack, group: str, worker: Worker) -> float:
    """Accept, open, submit, send on; the seconds it took."""
    started = time.perf_counter()
    frame = worker.client.accept(group, worker.token).frame
    task = worker.client.get(frame)
    answers = answers_for({"sentences": study.STORIES[0]}) | {
        "revision_4": "The baker locked the door and looked away.",
        "token": task.field("token"),
        "confirmed_cautions": "",
    }
    sent = worker.client.post(f"{stack.task_site_url}/task/submit/", answers)
    fields = {"assignmentId": sent.field("assignmentId"), "response": sent.field("response")}
    done = worker.client.post("/mturk/externalSubmit", fields)
    assert done.status == 200, done.text
    return time.perf_counter() - started


def throughput(
    stack: Stack, group: str, workers: list[Worker], *, tasks: int
) -> tuple[float, list[float]]:
    """Tasks a second with all these workers at once, and how long each task took, in seconds."""
    each = max(1, tasks // len(workers))
    started = time.perf_counter()
    with ThreadPoolExecutor(len(workers)) as pool:
        times = list(pool.map(lambda w: [do_one(stack, group, w) for _ in range(each)], workers))
    seconds = time.perf_counter() - started
    flat = [moment for part in times for moment in part]
    return len(flat) / seconds, flat
