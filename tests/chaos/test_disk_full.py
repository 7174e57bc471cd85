"""The disk is full: everybody is told so in a sentence, and nothing is lost or left half-done."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from studies.models import Job
from tests.chaos.promises import Promises, broken_promises
from tests.chaos.researcher import STUDY, Researcher
from tests.chaos.site import Site
from tests.chaos.small_disk import fill, make_room, small_disk
from tests.chaos.workers import Worker, row_of
from tests.e2e.client import Page
from tests.studies import factories as make

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]
DISK_MB = 260
LONG_TEXT = 60_000


@pytest.fixture
def full_disk() -> Iterator[Path]:
    with small_disk(4) as folder:
        fill(folder)
        yield folder


@pytest.fixture(scope="module")
def site(schema: Path) -> Iterator[Site]:
    with small_disk(DISK_MB) as folder, Site(folder, schema=schema) as site:
        Researcher(site, Promises(), seed=1).set_up()
        yield site


@pytest.mark.django_db
def test_an_upload_to_a_full_disk_is_refused_and_leaves_nothing(
    admin_client: Client, settings: Settings, full_disk: Path
) -> None:
    settings.MEDIA_ROOT = full_disk
    (full_disk / "others").write_bytes(b"\0" * (4 * 1024 * 1024 - 64 * 1024))
    rows = "".join(f"{n},T,One goes.,Two come.,Three stay.\n" for n in range(20_000))
    file = SimpleUploadedFile("stories.csv", f"story_id,title,line1,line2,line3\n{rows}".encode())
    data = {"study": make.make_study().pk, "file": file, "format": "auto"}

    answer = admin_client.post(reverse("admin:studies_story_import"), data)

    assert answer.status_code == 507
    assert "could not be stored on the server: no space left on device" in answer.content.decode()
    assert not Job.objects.exists()
    assert not list((full_disk / "stories").iterdir())


def test_an_export_to_a_full_disk_is_refused_and_leaves_nothing(
    site: Site, full_disk: Path
) -> None:
    worker = joined(site, "Exported")
    accepted = worker.accept()
    assert accepted is not None
    finish(worker, accepted[0], worker.frame.get(accepted[1]))
    site.query("UPDATE studies_response SET state = 'confirmed', confirmed_at = now()")

    file = full_disk / "responses.jsonl"
    status = site.commands.run("export_responses", STUDY, "--format=jsonl", f"--output={file}")

    assert status == 1
    assert "cannot be written: No space left on device" in site.commands.said()
    assert [path.name for path in full_disk.iterdir()] == ["others"]


def test_the_databases_disk_is_full_while_a_worker_writes(site: Site) -> None:
    worker = joined(site, "Writing")
    accepted = worker.accept()
    assert accepted is not None
    assignment, frame = accepted
    page = worker.frame.get(frame)
    worker.write(page)
    fill(site.folder)

    refused = write_until_refused(worker, page)

    assert refused.status == 503
    assert "cannot be saved right now. Your text stays on this page." in refused.text
    make_room(site.folder)
    worker.write(page)
    site.wait_until_ready()
    finish(worker, assignment, page)
    assert broken_promises(site, worker.promises) == []
    assert worker.promises.broken == []


def joined(site: Site, name: str) -> Worker:
    worker = Worker(site, Promises(), seed=3)
    worker.browser.join(site.manage("create_invitation", name).strip(), name)
    while not site.query("SELECT 1 FROM marketplace_hittype WHERE available_count > 0"):
        worker.think()
    return worker


def finish(worker: Worker, assignment: str, page: Page) -> None:
    worker.send(assignment, worker.submit(page, row_of(page.field("token"))))
    assert len(worker.promises.submitted) == len(worker.promises.sent) == 1


def write_until_refused(worker: Worker, page: Page) -> Page:
    """Long drafts, each another text, until the database has no room for one."""
    for number in range(3000):
        worker.version += 1
        fields = worker.fields(page)
        fields["changed_assertion"] = f"{number} {noise(number)}"
        body = {"token": page.field("token"), "fields": fields, "revision": time.time_ns() // 10**6}
        answer = worker.frame.send_json("/task/draft/", body)
        if answer.status != 200:
            return answer
        worker.promises.drafts[row_of(page.field("token"))] = worker.version
    raise AssertionError("the disk never was full")


def noise(number: int) -> str:
    """Text that a database cannot make small."""
    return random.Random(number).randbytes(LONG_TEXT // 2).hex()
