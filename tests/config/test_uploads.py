"""What strangers send is bounded before it is read, in size and in time."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from config.uploads import TAKING_FILES, most_bytes
from tests.everywhere.routes import OUTSIDE_THE_PATTERNS, PARAMETER, all_routes
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db
MIB = 1024 * 1024
FORM_BYTES = 5 * MIB
FORM = "multipart/form-data; boundary=line"
PAGES_TAKING_FILES = sorted(name for name in TAKING_FILES if name.startswith("admin:"))


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
    paths -= {
        path for path in paths if path.startswith("/admin/") and most_bytes(path) > FORM_BYTES
    }
    paths -= {*_by_their_body(), *_outside_the_patterns()}
    assert len(paths) > 150

    taken = [path for path in sorted(paths) if _is_read(stranger, path)]

    assert not taken
    assert not list(temporary.iterdir())


def _is_read(client: Client, path: str) -> bool:
    answer = announce(client, path, 6 * MIB)
    # A page that looks at no form of a POST has nothing to refuse, nor has the API of a stranger.
    return answer.status_code not in {301, 302, 400, 401, 404, 405, 413}


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


@pytest.mark.parametrize("name", PAGES_TAKING_FILES)
def test_a_page_that_takes_files_is_bounded_as_well(
    name: str, admin_client: Client, settings: Settings, temporary: Path
) -> None:
    settings.STORY_UPLOAD_MAX_BYTES = 10 * MIB
    of_study = [make_study().pk] if name == "admin:evaluation_launch" else []
    path = reverse(name, args=of_study)

    assert announce(admin_client, path, 26 * MIB).status_code in {400, 413}
    more_than_a_form = SimpleUploadedFile("outputs.csv", b"x" * 6 * MIB)
    assert admin_client.post(path, {"items": more_than_a_form}).status_code in {200, 422}
    assert not list(temporary.iterdir())


def test_a_file_that_takes_too_long_is_not_waited_for(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(range(0, 100_000, 400))
    monkeypatch.setattr("config.uploads.time.monotonic", lambda: next(moments))
    file = SimpleUploadedFile("long.csv", b"x" * 5 * MIB)

    answer = admin_client.post(reverse("admin:studies_story_import"), {"file": file})

    assert answer.status_code == 400
    assert "could not be read" in answer.text
