"""Workers at simulated browsers: what is not acknowledged they send again, as the page does."""

import base64
import json
import random
import re
import threading
import time
from collections.abc import Callable
from html import unescape
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.parse import parse_qs, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

from tests.chaos.patience import Patience
from tests.chaos.promises import Promises, text_of, version_of
from tests.chaos.site import Site
from tests.e2e import client
from tests.e2e.client import Client, Page

PATIENCE_SECONDS = 180.0
ASSIGNMENT = re.compile(r"/worker/assignments/(\w+)/")
GROUP = re.compile(r'href="/worker/groups/(\w+)/"')
TEXT = re.compile(r'<textarea[^>]*\bname="(\w+)"[^>]*>\n?(.*?)</textarea>', re.S)


class Stuck(Exception):
    """The site has not answered for longer than anybody waits."""


class Redirects(HTTPRedirectHandler):
    """Follows redirects and remembers that they arrived: the site has answered by then."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        self.seen.append(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Browser(Client):
    def __init__(self, base: str) -> None:
        super().__init__(base)
        self.redirects = Redirects()
        self.opener = build_opener(HTTPCookieProcessor(self.jar), self.redirects)

    def send_json(self, address: str, value: Any) -> Page:
        body, headers = json.dumps(value).encode(), {"Content-Type": "application/json"}
        return self._open(Request(urljoin(self.base, address), body, headers))


class Worker(threading.Thread):
    """One person; `stopping` lets them finish what they hold and go."""

    def __init__(self, site: Site, promises: Promises, seed: int) -> None:
        super().__init__(name=f"worker {seed}", daemon=True)
        self.site = site
        self.promises = promises
        self.draw = random.Random(seed)
        self.stopping = threading.Event()
        self.browser = Browser(site.worker_site_url)
        self.frame = Browser(site.task_site_url)
        self.version = 0

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.think()
                if accepted := self.accept():
                    self.do(*accepted)
        except Stuck as error:
            self.promises.is_broken(f"{self.name}: {error}")
        except Exception as error:  # Whatever it is ends the run with its name.
            self.promises.is_broken(f"{self.name}: {type(error).__name__}: {error}"[:1500])

    def think(self) -> None:
        time.sleep(self.draw.uniform(0.02, 0.4))

    def until_answered(self, what: str, action: Callable[[], Page]) -> Page:
        """Repeat a request until there is an answer that is not the server's own trouble."""
        patience = Patience(PATIENCE_SECONDS)
        said = ""
        while not patience.is_over(self.promises.done.total()):
            try:
                with self.promises.under_way(what):
                    page = action()
                if page.status < 500:
                    return page
                said = f"{page.status} {page.text[-300:]}"
            except (OSError, HTTPException) as error:
                said = repr(error)
            self.promises.count_retry(what)
            time.sleep(self.draw.uniform(0.1, 0.6))
        raise Stuck(f"{what}: nobody had an answer for {PATIENCE_SECONDS:.0f} s, last {said}")

    # --- On the worker site -----------------------------------------------------------------------

    def accept(self) -> tuple[str, str] | None:
        """The marketplace's assignment and the address of its frame, if something is on offer."""
        groups = GROUP.findall(
            self.until_answered("list", lambda: self.browser.get("/worker/")).text
        )
        if not groups:
            return None
        group = self.draw.choice(sorted(set(groups)))
        page = self.until_answered("group", lambda: self.browser.get(f"/worker/groups/{group}/"))
        if page.status != 200 or "csrfmiddlewaretoken" not in page.text:
            return None
        token = page.field("csrfmiddlewaretoken")
        self.browser.redirects.seen.clear()
        page = self.until_answered("accept", lambda: self.browser.accept(group, token))
        found = [match for url in self.browser.redirects.seen if (match := ASSIGNMENT.search(url))]
        for match in found:
            self.promises.accepted[match.group(1)] = self.name
        if not found or "<iframe" not in page.text:
            return None
        self.promises.count("accept")
        return found[-1].group(1), page.frame

    def give_back(self, assignment: str) -> None:
        address = f"/worker/assignments/{assignment}/return/"
        page = self.until_answered("return", lambda: self.browser.get(address))
        if "csrfmiddlewaretoken" not in page.text or not page.url.endswith("/return/"):
            return
        fields = {"csrfmiddlewaretoken": page.field("csrfmiddlewaretoken")}
        self.browser.redirects.seen.clear()
        page = self.until_answered("return", lambda: self.browser.post(address, fields))
        if any(url.endswith("/worker/") for url in self.browser.redirects.seen):
            self.promises.returned.add(assignment)
            self.promises.count("return")

    # --- In the frame -----------------------------------------------------------------------------

    def do(self, assignment: str, frame: str) -> None:
        page = self.until_answered("open", lambda: self.frame.get(frame))
        if "externalSubmit" in page.text:
            self.send(assignment, page)
        elif 'name="assertion"' in page.text:
            self.work(assignment, frame, page)
        else:
            self.give_back(assignment)

    def work(self, assignment: str, frame: str, page: Page) -> None:
        pk = row_of(page.field("token"))
        for _time in range(self.draw.randint(1, 4)):
            self.write(page)
            self.think()
            if self.draw.random() < 0.25:
                page = self.reload(frame, pk, page)
        if self.draw.random() < 0.12:
            self.give_back(assignment)
        else:
            self.send(assignment, self.submit(page, pk))

    def fields(self, page: Page) -> dict[str, Any]:
        texts = {name: unescape(value) for name, value in TEXT.findall(page.text)}
        return texts | {
            "assertion": text_of(self.version),
            "justification": ["2"],
            "changed_assertion": "Someone is far from calm.",
            "revision_4": "The baker frowned and shut the door.",
        }

    def write(self, page: Page) -> None:
        """Save a draft; when it fails, what is written meanwhile is saved with it."""
        token = page.field("token")

        def save() -> Page:
            self.version += 1
            body = {
                "token": token,
                "fields": self.fields(page),
                "revision": time.time_ns() // 10**6,
            }
            return self.frame.send_json("/task/draft/", body)

        answer = self.until_answered("draft", save)
        if answer.status == 200 and "saved_at" in json.loads(answer.text):
            self.promises.drafts[row_of(token)] = self.version
            self.promises.count("draft")

    def reload(self, frame: str, pk: int, before: Page) -> Page:
        """The page anew: it shows what was saved."""
        page = self.until_answered("open", lambda: self.frame.get(frame))
        if 'name="assertion"' not in page.text:
            return before
        shown = version_of(dict(TEXT.findall(page.text))["assertion"])
        saved = self.promises.drafts.get(pk, 0)
        if shown < saved:
            self.promises.is_broken(f"{self.name}: the page shows {shown}, {saved} was saved")
        return page

    def submit(self, page: Page, pk: int) -> Page:
        self.write(page)
        fields = self.fields(page) | {"token": page.field("token"), "confirmed_cautions": ""}
        self.frame.redirects.seen.clear()
        answer = self.until_answered("submit", lambda: self.frame.post("/task/submit/", fields))
        if any("/task/send/" in url for url in self.frame.redirects.seen):
            self.promises.submitted[pk] = self.version
            self.promises.count("submit")
        elif 'name="assertion"' in answer.text:
            self.promises.is_broken(f"{self.name}: valid answers were not taken ({answer.status})")
        return answer

    def send(self, assignment: str, page: Page) -> None:
        if "externalSubmit" not in page.text:
            return
        fields = {"assignmentId": assignment, "response": "saved"}
        answer = self.until_answered(
            "send", lambda: self.browser.post("/mturk/externalSubmit", fields)
        )
        if answer.status == 200:
            token = self.frame.redirects.seen and parse_qs(
                urlsplit(self.frame.redirects.seen[-1]).query
            ).get("token")
            if token:
                self.promises.sent[assignment] = row_of(token[0])
            self.promises.count("send")
        else:
            self.promises.is_broken(f"{self.name}: a response was not taken: {answer.status}")


def row_of(token: str) -> int:
    """Our assignment that a token of the task page is for."""
    body = token.split(":")[0]
    return int(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["a"])


client.TIMEOUT_SECONDS = 20
