"""A new secret key beside the former one: nobody is locked out, and no task page is cut off."""

import json
import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from config.embedded.layout import BASE_DIR
from marketplace.site.links import personal_link
from studies.frames import FrameRefused, Token, make_token, read_token
from tests.marketplace_site.people import browser_of, make_signed_up

FORMER, NEW = "former-key-" * 6, "new-key-" * 8
SHOW = "import json; from config import settings; print(json.dumps(settings.SECRET_KEY_FALLBACKS))"


@pytest.fixture
def changed(settings: Settings) -> Settings:
    """Settings whose key can be changed; what is signed before is signed with the former one."""
    settings.SECRET_KEY = FORMER
    return settings


def change(settings: Settings, *, fallbacks: list[str]) -> None:
    settings.SECRET_KEY = NEW
    settings.SECRET_KEY_FALLBACKS = fallbacks


@pytest.mark.django_db
@pytest.mark.parametrize(("fallbacks", "status"), [([FORMER], 200), ([], 302)])
def test_who_is_signed_in_stays_so(changed: Settings, fallbacks: list[str], status: int) -> None:
    browser = browser_of(make_signed_up("ada"))

    change(changed, fallbacks=fallbacks)

    assert browser.get(reverse("worker-history")).status_code == status
    # Signed anew meanwhile: the former key can go.
    change(changed, fallbacks=[])
    assert browser.get(reverse("worker-history")).status_code == status


@pytest.mark.django_db
@pytest.mark.parametrize(("fallbacks", "works"), [([FORMER], True), ([], False)])
def test_a_personal_link_goes_on_working(
    client: Client, changed: Settings, fallbacks: list[str], works: bool
) -> None:
    path = urlsplit(personal_link(make_signed_up("ada"))).path

    change(changed, fallbacks=fallbacks)

    page = client.get(path).content.decode()
    assert ("signs you in as ada" in page) == works
    assert ("no longer valid" in page) != works


@pytest.mark.parametrize(("fallbacks", "works"), [([FORMER], True), ([], False)])
def test_an_open_task_page_can_be_saved_and_finished(
    changed: Settings, fallbacks: list[str], works: bool
) -> None:
    origin = changed.MTURK_SUBMIT_ORIGINS[0]
    token = Token(worker_id="A1", assignment=7, submit_origin=origin)
    signed = make_token(token)

    change(changed, fallbacks=fallbacks)

    if works:
        assert read_token(signed) == token
    else:
        with pytest.raises(FrameRefused):
            read_token(signed)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", []),
        (f"{FORMER}", [FORMER]),
        (f" {FORMER} ,{NEW}", [FORMER, NEW]),
        (f"{FORMER},", [FORMER]),
        (",", []),
    ],
)
def test_no_empty_key_ever_counts(text: str, keys: list[str]) -> None:
    """With the empty key anybody could sign."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=BASE_DIR,
        env=os.environ | {"FABULA_SECRET_KEY_FALLBACKS": text},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout) == keys
