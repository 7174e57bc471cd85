"""Workers who do tasks over HTTP, as a browser does: five requests for a task."""

import re
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from html import unescape

from benchmarks.wire import Browser, Reply
from tests.e2e import study
from tests.e2e.client import Client
from tests.stack import Stack
from tests.studies.factories import answers_for

STEPS = ("accept", "page", "open", "submit", "send")
Times = dict[str, list[float]]


@dataclass
class Worker:
    """Who has read the instructions and holds a CSRF token; the address of each next step."""

    worker_site: str
    task_site: str
    group: str
    token: str
    browser: Browser
    next: str = ""
    took: Times = field(default_factory=lambda: {step: [] for step in STEPS})

    def accept(self) -> None:
        fields = {"csrfmiddlewaretoken": self.token, "accepts_next_shown": "1"}
        address = f"{self.worker_site}/worker/groups/{self.group}/accept/"
        reply = self._took("accept", self.browser.post(address, fields), 302)
        self.next = f"{self.worker_site}{reply.location}"

    def see_page(self) -> None:
        self.assignment_id = self.next.strip("/").split("/")[-1]
        reply = self._took("page", self.browser.get(self.next), 200)
        self.next = _found(r'<iframe[^>]*\bsrc="([^"]+)"', reply)

    def open(self) -> None:
        reply = self._took("open", self.browser.get(self.next, signed_in=False), 200)
        self.next = _found(r'name="token" value="([^"]+)"', reply)

    def submit(self) -> None:
        answers = answers_for({"sentences": study.STORIES[0]}) | {
            "revision_4": "The baker locked the door and looked away.",
            "token": self.next,
            "confirmed_cautions": "",
        }
        address = f"{self.task_site}/task/submit/"
        self._took("submit", self.browser.post(address, answers, signed_in=False), 303)

    def send(self) -> None:
        fields = {"assignmentId": self.assignment_id, "response": "saved"}
        address = f"{self.worker_site}/mturk/externalSubmit"
        self._took("send", self.browser.post(address, fields, signed_in=False), 200)

    def do_one(self) -> None:
        for step in (self.accept, self.see_page, self.open, self.submit, self.send):
            step()

    def do_some(self, count: int) -> None:
        for _ in range(count):
            self.do_one()

    def open_and_submit(self) -> None:
        self.open()
        self.submit()

    def forget(self) -> None:
        """Begin the times anew."""
        for times in self.took.values():
            times.clear()

    def _took(self, step: str, reply: Reply, status: int) -> Reply:
        assert reply.status == status, f"{step}: {reply.status}\n{reply.text[:2000]}"
        self.took[step].append(reply.seconds)
        return reply


def make_workers(stack: Stack, count: int) -> list[Worker]:
    group: str = stack.query("SELECT group_id FROM marketplace_hittype")[0][0]
    link = study.invitation(stack, secrets.token_hex(4))
    workers = []
    for number in range(count):
        client = Client(stack.worker_site_url)
        client.join(link, f"Worker {number}")
        token = client.get(f"/worker/groups/{group}/").field("csrfmiddlewaretoken")
        browser = Browser({cookie.name: cookie.value or "" for cookie in client.jar})
        workers.append(Worker(stack.worker_site_url, stack.task_site_url, group, token, browser))
    return workers


def whole_tasks(workers: Sequence[Worker], *, tasks: int) -> float:
    """Tasks a second, all five requests, with all these workers at once."""
    each = max(1, tasks // len(workers))
    started = time.perf_counter()
    _at_once(len(workers), [partial(worker.do_some, each) for worker in workers])
    return each * len(workers) / (time.perf_counter() - started)


def three_steps(workers: Sequence[Worker], *, clients: int) -> float:
    """Tasks a second, accept, open and submit alone, by so many of these workers at a time.

    The other two requests of each task are made between and after, while the clock stands.
    """
    seconds = 0.0
    for moment, is_timed in (
        (Worker.accept, True),
        (Worker.see_page, False),
        (Worker.open_and_submit, True),
        (Worker.send, False),
    ):
        started = time.perf_counter()
        _at_once(clients, [partial(moment, worker) for worker in workers])
        seconds += is_timed * (time.perf_counter() - started)
    return len(workers) / seconds


def percentile(times: Sequence[float], percent: int) -> float:
    return statistics.quantiles(times, n=100)[percent - 1]


def _at_once(clients: int, actions: Sequence[Callable[[], object]]) -> None:
    with ThreadPoolExecutor(clients) as pool:
        for future in [pool.submit(action) for action in actions]:
            future.result()


def _found(pattern: str, reply: Reply) -> str:
    found = re.search(pattern, reply.text)
    assert found, f"{reply.status}: {reply.text[:2000]}"
    return unescape(found.group(1))
