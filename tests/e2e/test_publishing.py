"""Publishing is killed half-way, and ends as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import boto3
import pytest
from django.conf import settings

from config.embedded.layout import BASE_DIR
from studies.models import Round
from studies.services import rounds
from studies.tasks import wake
from tests.e2e import study
from tests.stack import Stack

pytestmark = pytest.mark.timeout(300)
LAUNCH = ["--task=state_annotation", "--overlap=4", "--reward=0.20"]
BEGUN = "SELECT count(*) > 10 FROM studies_slot WHERE hit_id <> ''"
PUBLISHED = "SELECT count(*) FROM studies_slot WHERE hit_id <> ''"
# Enough to do something while they are published; elsewhere, more than a page of them.
SLOTS = 240
FEWER_SLOTS = 120


@pytest.fixture
def ready(stack: Stack, tmp_path: Path) -> Stack:
    return made_ready(stack, tmp_path, SLOTS)


@pytest.fixture
def smaller(stack: Stack, tmp_path: Path) -> Stack:
    return made_ready(stack, tmp_path, FEWER_SLOTS)


def made_ready(stack: Stack, folder: Path, slots: int) -> Stack:
    study.make_requester(stack)
    stories = [[f"{line} {n}" for line in study.STORIES[0]] for n in range(slots // 4)]
    study.make_study(stack, folder, stories)
    return stack


def lapse_lease(stack: Stack) -> None:
    """What a minute without a heartbeat does."""
    stack.query("UPDATE studies_job SET lease_until = now() - interval '1 second'")


def published_once(stack: Stack, count: int = SLOTS) -> None:
    """Every slot has its own HIT, and the marketplace has no other: asked as a requester asks."""
    client = boto3.client(
        "mturk",
        endpoint_url=f"{stack.worker_site_url}/mturk/",
        region_name="us-east-1",
        aws_access_key_id=settings.MTURK_ACCESS_KEY_ID,
        aws_secret_access_key=settings.MTURK_SECRET_ACCESS_KEY,
    )
    pages = client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 100})
    hits = {hit["HITId"]: hit["RequesterAnnotation"] for page in pages for hit in page["HITs"]}
    slots = dict(stack.query("SELECT hit_id, 'fabula:' || key FROM studies_slot"))
    assert len(hits) == count
    assert hits == slots


def test_a_celery_worker_killed_while_publishing_leaves_no_double(ready: Stack) -> None:
    ready.run_manage("launch_round", study.STUDY, *LAUNCH, "--detach")
    ready.wait_for(BEGUN)
    ready.kill("worker")
    at_kill = ready.query(PUBLISHED)[0][0]
    assert at_kill < SLOTS
    lapse_lease(ready)

    ready.start("worker")

    ready.wait_for("SELECT state = 'open' FROM studies_round", seconds=120)
    published_once(ready)
    assert ready.query("SELECT attempts FROM studies_job WHERE kind = 'publish_round'") == [(2,)]


def test_a_command_killed_while_publishing_is_finished_by_the_worker(ready: Stack) -> None:
    command = subprocess.Popen(
        [sys.executable, "manage.py", "launch_round", study.STUDY, *LAUNCH],
        cwd=BASE_DIR,
        env=ready.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ready.wait_for(BEGUN)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait(30)
    assert ready.query(PUBLISHED)[0][0] < SLOTS
    lapse_lease(ready)

    ready.wait_for("SELECT state = 'open' FROM studies_round", seconds=120)
    published_once(ready)


def test_a_hit_whose_id_was_never_noted_is_found_again(smaller: Stack) -> None:
    """As after a kill between the marketplace's answer and our note of it, more than a day ago."""
    smaller.call("launch_round", study.STUDY, *LAUNCH)
    smaller.query(
        "UPDATE studies_slot SET hit_id = '' WHERE id IN (SELECT id FROM studies_slot LIMIT 110)"
    )
    smaller.query("DELETE FROM marketplace_requesttoken")

    smaller.call("change_round", study.STUDY, "1", "pause")
    smaller.call("change_round", study.STUDY, "1", "resume")

    published_once(smaller, FEWER_SLOTS)


def test_publishing_waits_for_a_marketplace_that_is_away(smaller: Stack) -> None:
    smaller.kill("web")

    refused = smaller.run_manage("launch_round", study.STUDY, *LAUNCH, check=False)

    assert refused.returncode == 1
    assert "does not answer" in refused.stderr
    assert "Traceback" not in refused.stderr
    smaller.start("web")
    smaller.query("UPDATE studies_job SET lease_until = NULL")
    smaller.wait_for("SELECT state = 'open' FROM studies_round", seconds=120)
    published_once(smaller, FEWER_SLOTS)


def test_a_round_paused_while_it_is_published_shows_nothing(ready: Stack) -> None:
    ready.run_manage("launch_round", study.STUDY, *LAUNCH, "--detach")
    ready.wait_for(BEGUN)

    with ready.django():
        wake(rounds.pause_round(round=Round.objects.get()))

    ready.wait_for(
        "SELECT count(*) = 0 FROM studies_job WHERE state IN ('queued', 'running')", seconds=60
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        [(shown,)] = ready.query("SELECT sum(available_count) FROM marketplace_hittype")
        if shown == 0:
            break
        time.sleep(0.2)
    assert shown == 0
    assert 0 < ready.query(PUBLISHED)[0][0] < SLOTS

    ready.call("change_round", study.STUDY, "1", "resume")

    published_once(ready)
    assert ready.query("SELECT sum(available_count) FROM marketplace_hittype") == [(SLOTS,)]
