"""A small site of task pages for the browser: no database, the strict security policy, and an
account of what the page sent."""

import json
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.template.loader import render_to_string

from config.security import STRICT, policy
from studies import task_types

SENTENCES = [
    "Nora ran down the hill towards the stop.",
    "The driver saw her waving and waited.",
    "She dropped every coin she had into the machine.",
    "A passenger quietly paid the rest of her fare.",
    "Nora smiled all the way home.",
]
ITEM = {"story_id": "1", "title": "The Last Bus", "sentences": SENTENCES}
COMPLETE: dict[str, Any] = {
    "assertion": "The driver is patient.",
    "justification": ["2"],
    "changed_assertion": "The driver is impatient.",
    **{f"revision_{number}": text for number, text in enumerate(SENTENCES, 1)},
    "revision_2": "The driver saw her waving and pulled away.",
}


def task_page(answers: Mapping[str, Any] | None = None, **more: Any) -> str:
    """The state annotation page with `answers` as its draft; `more` replaces context keys."""
    task_type = task_types.get("state_annotation")
    now = datetime.now(UTC)
    deadline = now + timedelta(minutes=27)
    context = {
        "study_title": "State annotation",
        "reward": "$0.35",
        "task_type": task_type,
        "item": ITEM,
        "form": task_type.form_class(item=ITEM, initial=answers),
        "token": "the-token",
        "recording": None,
        "recording_address": "/recording?token=the-token",
        "draft_url": "/draft",
        "submit_url": "/submit",
        "timed": True,
        "now": now.isoformat(),
        "deadline": deadline.isoformat(),
        "deadline_clock": f"{deadline:%H:%M %Z}",
        "saved_at": "",
        "saved_at_clock": "",
        "cautions": [],
        "confirmed_cautions": "",
        "first_visit": False,
        "preview": False,
        "submit_origin": "",
        "participant_key": "key",
        **more,
    }
    return render_to_string("task/page.html", context)


class Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that is left closes its connections; anything else is worth a trace."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@dataclass
class Site:
    """Serves `page` at /, static files, and takes drafts and submits."""

    page: str = ""
    draft_status: int = 200
    draft_answer: dict[str, Any] = field(default_factory=dict)
    drafts: list[dict[str, Any]] = field(default_factory=list)
    submits: list[dict[str, list[str]]] = field(default_factory=list)
    address: str = ""

    def __enter__(self) -> "Site":
        self._server = Server(("127.0.0.1", 0), handler_for(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take_draft(self, body: bytes) -> tuple[int, str, bytes]:
        self.drafts.append(json.loads(body))
        answer: dict[str, Any] = {"saved_at": datetime.now(UTC).isoformat()}
        if self.draft_status != 200:
            answer = {"error": "You returned this task."}
        answer |= self.draft_answer
        return self.draft_status, "application/json", json.dumps(answer).encode()

    def take_submit(self, body: bytes) -> tuple[int, str, bytes]:
        self.submits.append(parse_qs(body.decode(), keep_blank_values=True))
        return 200, "text/html; charset=utf-8", b"<!doctype html><title>Thank you</title>Thank you"


def handler_for(site: Site) -> type[SimpleHTTPRequestHandler]:
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(settings.BASE_DIR))

        def do_GET(self) -> None:
            if self.path.startswith("/static/"):
                super().do_GET()
            else:
                self.answer(200, "text/html; charset=utf-8", site.page.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            take = site.take_draft if self.path == "/draft" else site.take_submit
            self.answer(*take(body))

        def answer(self, status: int, content_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", policy(STRICT))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output readable."""

    return Handler
