"""What strangers send is bounded before it is read, in size and in time."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.everywhere.routes import OUTSIDE_THE_PATTERNS, PARAMETER, all_routes

pytestmark = pytest.mark.django_db
MIB = 1024 * 1024
FORM = "multipart/form-data; boundary=line"
TAKES_FILES = "studies_story_import"


@pytest.fixture(autouse=True)
def temporary(settings: Settings, tmp_path: Path) -> Path:
    """Where Django puts files that are still arriving."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path


def announce(client: Client, path: str, size: int) -> Any:
    """A request that says it is so large; its first byte is all there is."""
    return client.generic("POST", path, b"-", content_type=FORM, CONTENT_LENGTH=str(size))


def test_a_request_larger_than_any_form_is_refused_unread_at_every_address(
    temporary: Path,
) -> None:
    """As whoever it comes from: a stranger with a cookie of their own, and a task page's frame."""
    stranger = Client(enforce_csrf_checks=True)
    stranger.get("/worker/sign-in/")
    paths = {_path(route.pattern) for route in all_routes() if "(?P" not in route.pattern}
    paths -= {reverse(f"admin:{TAKES_FILES}"), *_by_their_body(), *_outside_the_patterns()}
    assert len(paths) > 150

    taken = [path for path in sorted(paths) if _is_read(stranger, path)]

    assert not taken
    assert not list(temporary.iterdir())


def _is_read(client: Client, path: str) -> bool:
    answer = announce(client, path, 6 * MIB)
    # A page that looks at no form of a POST has nothing to refuse.
    return answer.status_code not in {301, 302, 400, 404, 405, 413}


def _by_their_body() -> set[str]:
    """Programs' own, whose bodies are no forms: Django bounds those."""
    return {reverse("mturk"), "/mturk", reverse("marketplace-notifications"), reverse("task-draft")}


def _outside_the_patterns() -> set[str]:
    return {_path(pattern) for pattern in OUTSIDE_THE_PATTERNS}


def _path(pattern: str) -> str:
    of_a_kind = pattern.replace("<uuid:public_id>", str(UUID(int=7)))
    return f"/{PARAMETER.sub('1', of_a_kind)}"


@pytest.mark.parametrize("name", ["task-submit", "external-submit"])
def test_a_frame_is_told_that_what_was_sent_is_too_long(name: str) -> None:
    assert announce(Client(), reverse(name), 6 * MIB).status_code == 413


def test_the_page_for_story_files_is_bounded_as_well(
    admin_client: Client, settings: Settings, temporary: Path
) -> None:
    settings.STORY_UPLOAD_MAX_BYTES = 10 * MIB
    path = reverse(f"admin:{TAKES_FILES}")

    assert announce(admin_client, path, 26 * MIB).status_code == 400
    assert not list(temporary.iterdir())


def test_a_file_that_takes_too_long_is_not_waited_for(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(range(0, 100_000, 400))
    monkeypatch.setattr("config.uploads.time.monotonic", lambda: next(moments))
    file = SimpleUploadedFile("long.csv", b"x" * 5 * MIB)

    answer = admin_client.post(reverse(f"admin:{TAKES_FILES}"), {"file": file})

    assert answer.status_code == 400
    assert "could not be read" in answer.text
