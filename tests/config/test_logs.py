"""What stands in the log, and what never does."""

import io
import json
import logging
import logging.config
import re
import time
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, OperationalError
from django.http import StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from config.celery import hand_on_request_id
from config.logs import logging_settings
from config.requests import RequestIdMiddleware
from studies import jobs, log_context
from studies.models import Study
from tests.stack import Stack
from tests.studies import factories as make
from tests.studies.frames import address, query_of

WORKER = "A1SECRETWORKER"
TOKEN = "personal-link-token"


class Log:
    def __init__(self, stream: io.StringIO) -> None:
        self.stream = stream

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def lines(self, logger: str = "") -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in found if line["logger"].startswith(logger)]


def logging_to(stream: io.StringIO, format: str) -> dict[str, Any]:
    settings = logging_settings(format=format, level="INFO")
    settings["handlers"]["console"]["stream"] = stream
    return settings


@pytest.fixture
def log(request: pytest.FixtureRequest) -> Iterator[Log]:
    """All that is logged, as JSON unless the test asks for text."""
    stream = io.StringIO()
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    logging.config.dictConfig(logging_to(stream, getattr(request, "param", "json")))
    yield Log(stream)
    root.handlers[:], root.level = before


@pytest.mark.django_db
def test_a_request_is_one_line_with_its_id_route_status_and_time(client: Client, log: Log) -> None:
    response = client.get("/admin/login/?next=/admin/")

    [line] = log.lines("fabula.request")
    assert line["request_id"] == response["X-Request-ID"]
    assert line["route"] == "/admin/login/"
    assert (line["method"], line["status"]) == ("GET", 200)
    assert line["duration_ms"] > 0
    assert line["level"] == "INFO"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere/", 404),
        ("/admin/login/?next=%00", 400),
        ("/readyz", 503),
        ("/api/v1/studies/", 401),
        ("/mturk/", 405),
    ],
)
def test_every_line_about_a_refused_request_carries_its_id(
    client: Client, log: Log, monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    """Also those that Django says when all middleware is through."""
    monkeypatch.setattr("config.health.broker_answers", lambda: False)

    response = client.get(path, headers={"X-Request-ID": "edge-0123.abc"})

    assert response.status_code == status
    assert response["X-Request-ID"] == "edge-0123.abc"
    assert log.lines("django.request")
    assert {line["request_id"] for line in log.lines()} == {"edge-0123.abc"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "route"), [("/readyz", "/readyz"), ("/metrics", "/metrics"), ("/nowhere/", "unknown")]
)
def test_a_refused_probe_is_called_by_its_name(
    client: Client, log: Log, monkeypatch: pytest.MonkeyPatch, path: str, route: str
) -> None:
    monkeypatch.setattr("config.health.broker_answers", lambda: False)

    client.get(path)

    assert all(route in line["message"] for line in log.lines("django.request"))
    assert log.lines("django.request")


def sent(parts: Iterable[bytes], *, id: str = "edge-0123.abc") -> StreamingHttpResponse:
    """The answer as it has left all middleware, not made yet."""
    request = RequestFactory().get("/api/", headers={"X-Request-ID": id})
    answer = RequestIdMiddleware(lambda _: StreamingHttpResponse(parts))(request)
    assert isinstance(answer, StreamingHttpResponse)
    return answer


def saying(count: int) -> Iterator[bytes]:
    for number in range(count):
        logging.getLogger("studies").warning("row %s", number)
        yield b"."


def test_what_is_said_while_an_answer_is_sent_carries_its_id(log: Log) -> None:
    first, second = sent(saying(2), id="first-01"), sent(saying(2), id="second-1")

    for _pair in zip(first, second, strict=True):
        logging.getLogger("studies").warning("of no request")

    ids = [line.get("request_id") for line in log.lines("studies")]
    assert ids == ["first-01", "second-1", None] * 2


def test_an_answer_that_breaks_off_is_named(log: Log) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"."
        raise OperationalError("the server closed the connection")

    with pytest.raises(OperationalError):
        list(sent(breaking()))

    [line] = log.lines("fabula.request")
    assert (line["level"], line["request_id"]) == ("ERROR", "edge-0123.abc")
    assert line["message"] == "GET (unknown address) broke off"


def test_a_proxys_request_id_is_kept(client: Client) -> None:
    response = client.get("/", headers={"X-Request-ID": "edge-0123.abc"})

    assert response["X-Request-ID"] == "edge-0123.abc"


@pytest.mark.parametrize("given", ["short", "x" * 65, "has a space", "new\nline-0", "<script>1234"])
def test_what_is_no_request_id_is_replaced(client: Client, given: str) -> None:
    response = client.get("/", headers={"X-Request-ID": given})

    assert re.fullmatch("[0-9a-f]{32}", response["X-Request-ID"])


@pytest.mark.django_db
@pytest.mark.parametrize("log", ["json", "text"], indirect=True)
def test_no_line_holds_a_worker_a_token_a_signature_or_a_query(client: Client, log: Log) -> None:
    round = make.make_round()
    frame = make.make_frame(make.free_slot(round), worker_id=WORKER)
    signature = query_of(frame)["fabulaSignature"]
    client.get(address(round, frame))
    client.get(address(round, frame).replace(WORKER, "A2OTHER"))
    client.get(reverse("worker-enter", args=[TOKEN]))
    client.get(f"/nowhere/{TOKEN}?workerId={WORKER}")
    client.post(reverse("task-draft"), {"token": TOKEN})

    assert "404" in log.text or "Not Found" in log.text
    for secret in (WORKER, "A2OTHER", TOKEN, signature, frame.assignment_id, "workerId"):
        assert secret not in log.text


@pytest.mark.parametrize("log", ["json", "text"], indirect=True)
def test_a_logged_failure_shows_where_and_not_which_values(log: Log) -> None:
    try:
        raise IntegrityError(f"duplicate key\nDETAIL:  Key (marketplace_id)=({WORKER}) exists.\n")
    except IntegrityError:
        logging.getLogger("studies").exception("GET /mturk/?workerId=%s failed", WORKER)

    assert "IntegrityError: duplicate key" in log.text
    assert "test_logs.py" in log.text
    assert WORKER not in log.text


@pytest.mark.django_db
def test_lines_of_a_job_carry_its_id(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(job: jobs.JobContext) -> None:
        logging.getLogger("studies").warning("half way")

    monkeypatch.setitem(jobs._handlers, "count", work)
    study = Study.objects.create(slug="s", title="S")
    job = jobs.create_job(kind="count", study=study, payload={})
    jobs.run(job.pk)
    logging.getLogger("studies").warning("after")

    lines = {line["message"]: line for line in log.lines("studies")}
    assert lines["half way"]["job_id"] == job.pk
    assert "job_id" not in lines["after"]
    assert lines[f"job {job.pk}: done"]["kind"] == "count"
    assert lines[f"job {job.pk}: done"]["state"] == "done"


def test_a_message_for_the_broker_carries_the_id_of_its_request() -> None:
    headers: dict[str, Any] = {}
    hand_on_request_id(headers)
    assert headers == {}

    token = log_context.request_id.set("edge-0123")
    hand_on_request_id(headers)
    log_context.request_id.reset(token)

    assert headers == {"fabula_request_id": "edge-0123"}


SEND = """
from studies import log_context
from config.celery import app
log_context.request_id.set("edge-0123.abc")
app.send_task("studies.run_job", args=[987654])
"""


@pytest.mark.timeout(180)
def test_web_and_worker_say_everything_as_json(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    # Celery warns root before there is a log; in production it is not root.
    settings = {"FABULA_LOG_FORMAT": "json", "PYTHONWARNINGS": "ignore"}
    processes = ("web", "worker", "beat")
    with Stack(
        folder=tmp_path, blocker=django_db_blocker, processes=processes, settings=settings
    ) as stack:
        urllib.request.urlopen(f"{stack.worker_site_url}/worker/?workerId={WORKER}").close()
        stack.run_manage("shell", "--no-imports", "-c", SEND)
        sent = wait_for_line(tmp_path / "worker.log", "fabula.task", task="studies.run_job")
        assert wait_for_line(tmp_path / "beat.log", "celery.beat")
    web = [json.loads(line) for line in (tmp_path / "web.log").read_text().splitlines()]

    assert sent["request_id"] == "edge-0123.abc"
    assert (sent["task"], sent["status"]) == ("studies.run_job", "SUCCESS")
    assert "gunicorn.error" in {line["logger"] for line in web}
    assert "fabula.request" in {line["logger"] for line in web}
    assert WORKER not in (tmp_path / "web.log").read_text()


def wait_for_line(path: Path, logger: str, **facts: str) -> dict[str, Any]:
    """The first line of this logger with these facts; every line before it has to be JSON."""
    for _ in range(600):
        for text in path.read_text().splitlines(keepends=True):
            if not text.endswith("\n"):
                break
            line: dict[str, Any] = json.loads(text)
            if line["logger"] == logger and facts.items() <= line.items():
                return line
        time.sleep(0.1)
    raise AssertionError(path.read_text())


def test_an_unknown_format_is_refused_in_a_sentence() -> None:
    with pytest.raises(ImproperlyConfigured, match="it can be text or json"):
        logging_settings(format="xml", level="INFO")


def test_an_unknown_level_is_refused_in_a_sentence() -> None:
    with pytest.raises(ImproperlyConfigured, match="it can be DEBUG, INFO, WARNING or ERROR"):
        logging_settings(format="json", level="warn")
