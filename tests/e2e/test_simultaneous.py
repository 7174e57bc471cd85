"""Sixty at once for thirty places, and two hundred submits of one: on PostgreSQL, over HTTP."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import pytest

from tests.e2e import study
from tests.e2e.client import Client, Page
from tests.stack import Stack
from tests.studies.factories import answers_for

T = TypeVar("T")
pytestmark = pytest.mark.timeout(300)


def at_once(count: int, action: Callable[[int], T]) -> list[T]:
    """The action's results for 0 to count - 1, all started at the same moment."""
    barrier = Barrier(count)

    def run(number: int) -> T:
        barrier.wait(60)
        return action(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def joined(stack: Stack, count: int) -> list[tuple[Client, str]]:
    """So many workers, each with the CSRF token of the page that shows the group."""
    link = study.invitation(stack, "Crowd")
    workers = []
    for number in range(count):
        client = Client(stack.worker_site_url)
        client.join(link, f"Worker {number}")
        token = client.get(f"/worker/groups/{group_of(stack)}/").field("csrfmiddlewaretoken")
        workers.append((client, token))
    return workers


def group_of(stack: Stack) -> str:
    found: str = stack.query("SELECT group_id FROM marketplace_hittype")[0][0]
    return found


def test_sixty_workers_for_thirty_slots(stack: Stack, tmp_path: Path) -> None:
    study.make_requester(stack)
    stories = [[f"{line} {n}" for line in study.STORIES[0]] for n in range(10)]
    study.make_study(stack, tmp_path, stories)
    study.launch_round(stack, overlap=3)
    workers = joined(stack, 60)
    group = group_of(stack)

    pages = at_once(60, lambda n: workers[n][0].accept(group, workers[n][1]))

    accepted = [page for page in pages if re.search(r"/worker/assignments/\w+/$", page.url)]
    refused = [page for page in pages if page not in accepted]
    assert len(accepted) == 30, [(page.status, page.url) for page in pages]
    assert all("Nothing is left right now" in page.text for page in refused)
    assert {page.status for page in refused} <= {200, 409}
    assert stack.query("SELECT count(*) FROM marketplace_assignment")[0][0] == 30

    opened = at_once(30, lambda n: Client("").get(accepted[n].frame))

    assert {page.status for page in opened} == {200}
    taken = stack.query("SELECT taken, overlap FROM studies_task")
    assert all(taken == overlap == 3 for taken, overlap in taken)
    assert stack.query("SELECT count(DISTINCT slot_id) FROM studies_assignment")[0][0] == 30


def test_two_hundred_submits_of_one_assignment(stack: Stack, tmp_path: Path) -> None:
    study.make_requester(stack)
    study.make_study(stack, tmp_path)
    stack.query("UPDATE studies_study SET records_process = false")
    study.launch_round(stack, overlap=1)
    [(worker, token)] = joined(stack, 1)
    frame = worker.accept(group_of(stack), token).frame
    task = Client("").get(frame)
    story = next(lines for lines in study.STORIES if lines[0].split(".")[0] in task.text)
    fields = answers_for({"sentences": story}) | {
        "revision_4": "Nothing else happened for a while.",
        "token": task.field("token"),
        "confirmed_cautions": "",
    }

    def submit(number: int) -> Page:
        marked = fields | {"assertion": f"The place is quiet, {number}."}
        return Client(stack.task_site_url).post("/task/submit/", marked)

    pages = at_once(200, submit)

    assert {page.status for page in pages} == {200}
    assert all("/task/send/" in page.url for page in pages), {page.url for page in pages}
    assert stack.query("SELECT count(*) FROM studies_response")[0][0] == 1
    assert stack.query("SELECT count(*) FROM studies_contribution")[0][0] == 1
    sent = pages[0]
    answers = {"assignmentId": sent.field("assignmentId"), "response": sent.field("response")}
    arrived = at_once(
        20, lambda n: Client(stack.worker_site_url).post("/mturk/externalSubmit", answers)
    )
    assert {page.status for page in arrived} == {200}
    stack.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'")
    assert len(study.exported(stack, tmp_path)) == 1
