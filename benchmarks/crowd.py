"""Rounds with many open tasks, and workers who do them over HTTP."""

import re
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from benchmarks import wire
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


STEPS = ("accept", "page", "open", "submit", "send")
Times = dict[str, list[float]]


@dataclass(frozen=True)
class Worker:
    token: str
    cookies: dict[str, str]


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
        cookies = {cookie.name: cookie.value or "" for cookie in client.jar}
        workers.append(Worker(page.field("csrfmiddlewaretoken"), cookies))
    return group, workers


def do_one(stack: Stack, group: str, worker: Worker) -> dict[str, float]:
    """Accept, see the page, open its frame, submit, send on; the seconds each took."""
    site = stack.worker_site_url
    accepted = wire.send(
        f"{site}/worker/groups/{group}/accept/",
        fields={"csrfmiddlewaretoken": worker.token, "accepts_next_shown": "1"},
        cookies=worker.cookies,
    )
    assert accepted.status == 302, accepted.text
    page = wire.send(f"{site}{accepted.location}", cookies=worker.cookies)
    task = wire.send(_found(r'<iframe[^>]*\bsrc="([^"]+)"', page))
    answers = answers_for({"sentences": study.STORIES[0]}) | {
        "revision_4": "The baker locked the door and looked away.",
        "token": _found(r'name="token" value="([^"]+)"', task),
        "confirmed_cautions": "",
    }
    taken = wire.send(f"{stack.task_site_url}/task/submit/", fields=answers)
    assert taken.status == 303, taken.text
    fields = {"assignmentId": accepted.location.strip("/").split("/")[-1], "response": "saved"}
    sent = wire.send(f"{site}/mturk/externalSubmit", fields=fields)
    assert sent.status == 200, sent.text
    replies = (accepted, page, task, taken, sent)
    return {step: reply.seconds for step, reply in zip(STEPS, replies, strict=True)}


def throughput(
    stack: Stack, group: str, workers: list[Worker], *, tasks: int
) -> tuple[float, Times]:
    """Tasks a second with all these workers at once, and the seconds of each step."""
    each = max(1, tasks // len(workers))
    started = time.perf_counter()
    with ThreadPoolExecutor(len(workers)) as pool:
        done = list(pool.map(lambda w: [do_one(stack, group, w) for _ in range(each)], workers))
    seconds = time.perf_counter() - started
    flat = [task for part in done for task in part]
    return len(flat) / seconds, {step: [task[step] for task in flat] for step in STEPS}


def _found(pattern: str, reply: wire.Reply) -> str:
    found = re.search(pattern, reply.text)
    assert found, f"{reply.status}: {reply.text[:2000]}"
    return unescape(found.group(1))
