"""The figures at /metrics: who gets them, what they count, what they cost."""

import json
import re
from datetime import timedelta

import pytest
import redis
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from config.embedded.layout import BASE_DIR
from marketplace.models import Assignment as MarketplaceAssignment
from studies import jobs
from studies.models import Assignment, Job, JobState, Response, ResponseState
from tests.config.figures import TOKEN, scrape
from tests.marketplace import factories as market
from tests.marketplace_site.people import browser_of, make_signed_up
from tests.studies import factories as make
from tests.studies.frames import address

pytestmark = pytest.mark.django_db
COUNT = "fabula_step_seconds_count"
OUTCOMES = {"ok", "refused", "failed"}


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


# --- Who gets them ----------------------------------------------------------------------------


def test_who_has_the_token_gets_the_figures_under_any_host_name(
    client: Client, settings: Settings
) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["work.example.org"], True

    response = client.get(
        "/metrics", headers={"Authorization": f"Bearer {TOKEN}", "Host": "10.1.2.3:8000"}
    )

    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=")
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer ", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer é"]
)
def test_without_the_token_there_are_no_figures(client: Client, given: str) -> None:
    response = client.get("/metrics", headers={"Authorization": given})

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert not response.content


def test_being_signed_in_opens_nothing(admin_client: Client) -> None:
    assert admin_client.get("/metrics").status_code == 401


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer None"])
def test_where_no_token_is_set_nobody_gets_them(
    client: Client, settings: Settings, given: str
) -> None:
    settings.METRICS_TOKEN = ""

    assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


def test_only_looking_is_allowed(client: Client) -> None:
    assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


# --- Requests -----------------------------------------------------------------------------------


def test_a_workers_steps_are_timed_by_outcome(client: Client) -> None:
    round = make.make_round()
    frame = make.make_frame(make.free_slot(round), worker_id="A1TIMED")
    hit_type = market.make_hit_type()
    market.make_hit(hit_type)
    browser = browser_of(make_signed_up("ada"))
    before = scrape(client)

    accepted = browser.post(reverse("worker-accept", args=[hit_type.group_id]))
    opened = client.get(address(round, frame))
    found = re.search(r'name="token" value="([^"]+)"', opened.content.decode())
    assert found
    draft = json.dumps({"token": found[1], "fields": {"assertion": "Calm."}, "revision": 1})
    client.post(reverse("task-draft"), draft, content_type="application/json")
    item = Assignment.objects.get().task.payload
    client.post(reverse("task-submit"), {"token": found[1]})
    client.post(reverse("task-submit"), make.answers_for(item) | {"token": found[1]})
    held = MarketplaceAssignment.objects.get()
    client.post(reverse("external-submit"), {"assignmentId": held.assignment_id, "answer": "x"})

    after = scrape(client)
    assert accepted.status_code == 302
    counted = {
        (step, outcome): after.value(COUNT, step=step, outcome=outcome)
        - before.value(COUNT, step=step, outcome=outcome)
        for step in ("accept", "open", "draft", "submit", "external_submit")
        for outcome in OUTCOMES
    }
    assert {key: n for key, n in counted.items() if n} == {
        ("accept", "ok"): 1,
        ("open", "ok"): 1,
        ("draft", "ok"): 1,
        ("submit", "refused"): 1,
        ("submit", "ok"): 1,
        ("external_submit", "ok"): 1,
    }
    assert after.value("fabula_step_seconds_sum", step="submit", outcome="ok") > 0


def test_a_request_that_fails_is_counted_by_the_name_of_its_route(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(raise_request_exception=False)
    monkeypatch.setattr("marketplace.site.sign_in.SignIn.get", lambda *_: 1 / 0)
    monkeypatch.setattr("studies.views.task.read_frame", lambda _: 1 / 0)
    round = make.make_round()
    before = scrape(client)

    client.get("/worker/sign-in/?next=/worker/")
    client.get(reverse("task", args=[round.public_id]), {"assignmentId": "A"})

    after = scrape(client)
    for route in ("worker-sign-in", "task"):
        name = "fabula_request_failures_total"
        assert after.value(name, route=route) - before.value(name, route=route) == 1
    failed = {"step": "open", "outcome": "failed"}
    assert after.value(COUNT, **failed) - before.value(COUNT, **failed) == 1


def test_what_a_visitor_sends_makes_no_new_series(client: Client) -> None:
    before = len(scrape(client).samples)

    for number in range(20):
        client.get(f"/nowhere-{number}/?q={number}")
        client.get(reverse("task", args=[f"00000000-0000-0000-0000-0000000000{number:02}"]))
        client.post(reverse("worker-accept", args=[f"GROUP{number}"]))

    assert len(scrape(client).samples) == before


# --- Tables and broker ----------------------------------------------------------------------------


def test_jobs_are_counted_by_kind_and_state(client: Client) -> None:
    now = timezone.now()
    waiting = jobs.create_job(kind="publish_round", payload={})
    Job.objects.filter(pk=waiting.pk).update(created_at=now - timedelta(minutes=5))
    for state in (JobState.FAILED, JobState.DONE):
        Job.objects.create(
            kind="import_stories",
            state=state,
            started_at=now - timedelta(seconds=3),
            finished_at=now,
        )

    figures = scrape(client)

    assert figures.value("fabula_jobs", kind="publish_round", state="queued") == 1
    age = figures.value("fabula_job_oldest_queued_seconds", kind="publish_round")
    assert age == pytest.approx(300, abs=30)
    assert figures.value("fabula_jobs_ended_total", kind="import_stories", state="failed") == 1
    assert figures.value("fabula_jobs_ended_total", kind="import_stories", state="done") == 1
    assert figures.value("fabula_job_seconds_total", kind="import_stories") == pytest.approx(6)


def test_a_kind_of_job_starts_at_zero(client: Client) -> None:
    """An alert on a growing number sees the first failure only where there was a number before."""
    figures = scrape(client)

    assert set(jobs.kinds()) <= figures.labels("fabula_jobs_ended_total")
    assert "failed" in figures.labels("fabula_jobs_ended_total")


def test_responses_on_their_way_are_counted_with_the_age_of_the_oldest(client: Client) -> None:
    round = make.make_round(stories=3)
    for state in (ResponseState.SUBMITTED, ResponseState.UNCONFIRMED):
        worker = make.make_participant(round)
        task = round.tasks.all()[0 if state == ResponseState.SUBMITTED else 1]
        at = timezone.now() - timedelta(hours=1)
        held = Assignment.objects.create(task=task, participant=worker, accepted_at=at)
        Response.objects.create(
            assignment=held, schema_version=1, answers={}, state=state, submitted_at=at
        )

    figures = scrape(client)

    assert figures.value("fabula_responses_waiting") == 1
    age = figures.value("fabula_response_oldest_waiting_seconds")
    assert age == pytest.approx(3600, abs=60)
    assert figures.value("fabula_responses_unconfirmed") == 1


def test_notifications_and_held_assignments_are_counted(client: Client) -> None:
    hit_type = market.make_hit_type()
    market.make_hit(hit_type)
    market.make_accepted(hit_type)
    destination = hit_type.requester.destinations.create(url="x", next_attempt_at=timezone.now())
    past = timezone.now() - timedelta(minutes=10)
    for more in ({}, {"delivered_at": past}, {"given_up_at": past}):
        destination.notifications.create(event="Ping", event_at=past, next_attempt_at=past, **more)

    figures = scrape(client)

    assert figures.value("fabula_notifications_waiting") == 1
    age = figures.value("fabula_notification_oldest_waiting_seconds")
    assert age == pytest.approx(600, abs=30)
    assert figures.value("fabula_assignments_held") == 1


@pytest.mark.parametrize("queue", ["default", "gpu", "cpu", "of-a-lab"])
def test_messages_in_the_broker_are_counted(client: Client, settings: Settings, queue: str) -> None:
    settings.RUN_QUEUES = ["gpu", "cpu", "of-a-lab"]
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        before = broker.llen(queue)
        broker.rpush(queue, "message")
        figures = scrape(client)
        broker.rpop(queue)

    assert figures.value("fabula_broker_up") == 1
    assert figures.value("fabula_broker_messages", queue=queue) == before + 1


def test_without_the_broker_the_rest_is_told(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://:pa55word@127.0.0.1:1/0"

    figures = scrape(client)

    assert figures.value("fabula_broker_up") == 0
    assert "fabula_broker_up" in figures.names()
    assert "fabula_broker_messages" not in figures.names()
    assert figures.value("fabula_database_up") == 1


def test_without_the_database_the_rest_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = connection.copy()
    away.settings_dict |= {"HOST": "127.0.0.1", "PORT": "1"}
    monkeypatch.setattr("config.metrics.page.connection", away)
    monkeypatch.setattr("django.db.transaction.get_connection", lambda using=None: away)

    figures = scrape(client)

    assert "fabula_database_up" in figures.names()
    assert figures.value("fabula_database_up") == 0
    assert figures.value("fabula_broker_up") == 1
    assert "fabula_jobs" not in figures.names()


def test_asking_is_cheap(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make.make_round(stories=3)
    with django_assert_max_num_queries(8):
        scrape(client)


def test_the_document_names_every_figure_and_no_other(client: Client) -> None:
    text = (BASE_DIR / "docs/operations.md").read_text()
    named = set(re.findall(r"^\| `(fabula_\w+)`", text, flags=re.M))
    told = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in scrape(client).families
    }

    assert named == told
