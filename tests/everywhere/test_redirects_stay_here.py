"""No address that a visitor brings along leads off this site."""

from urllib.parse import urljoin, urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.test.utils import override_settings
from hypothesis import given
from hypothesis import strategies as st

from studies.frames import FrameRefused, submit_origin
from tests.everywhere.conftest import OWN_CACHE
from tests.marketplace_site.people import make_signed_up

PASSWORD = "a lantern on the pier"
ELSEWHERE = [
    "//evil.example",
    "////evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\\/evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https:///evil.example",
    "https://evil.example/worker/",
    "HTTPS://EVIL.example",
    "https://testserver@evil.example/",
    "https://testserver.evil.example/",
    "https://evil.example#testserver",
    "http://testserver\\@evil.example/",
    "https://tеstserver/",
    "ftp://testserver/",
    "javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "/worker/\r\nLocation: https://evil.example",
]
SIGN_IN = {
    "/admin/login/": {"username": "ines", "password": PASSWORD},
    "/worker/sign-in/": {"login": "ada", "password": PASSWORD},
    "/worker/sign-up/": {"username": "new", "password1": PASSWORD, "password2": PASSWORD},
}


def host_of(location: str, *, at: str) -> str | None:
    """Where a browser goes: it reads a backslash as a slash and leaves out tabs and line ends."""
    read = location.strip().replace("\\", "/")
    for left_out in "\t\r\n":
        read = read.replace(left_out, "")
    return urlsplit(urljoin(f"http://testserver{at}", read)).hostname


@pytest.mark.django_db
@pytest.mark.parametrize("page", SIGN_IN)
def test_who_signs_in_stays_whatever_next_says(page: str) -> None:
    User.objects.create_superuser("ines", password=PASSWORD)
    make_signed_up("ada", PASSWORD)
    led_off = []
    with override_settings(
        CACHES=settings.CACHES | {"default": OWN_CACHE}, MARKETPLACE_OPEN_SIGN_UP=True
    ):
        for number, address in enumerate(ELSEWHERE):
            fields = SIGN_IN[page] | ({"username": f"new-{number}"} if "sign-up" in page else {})
            caches["default"].clear()
            answer = Client().post(page, fields | {"next": address}, query_params={"next": address})
            assert answer.status_code in {200, 302}, answer.text
            location = answer.get("Location", "/")
            if host_of(location, at=page) != "testserver":
                led_off.append((address, location))

    assert not led_off


@pytest.mark.django_db
@pytest.mark.parametrize("address", ELSEWHERE)
def test_signing_out_stays_too(address: str, admin_client: Client) -> None:
    for page in ("/admin/logout/", "/worker/sign-out/"):
        location = admin_client.post(page, {"next": address}).get("Location", "/")
        assert host_of(location, at=page) == "testserver"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["//evil.example/worker", "/%5Cevil.example/worker", "//worker"])
def test_an_address_without_its_slash_is_not_taken_for_a_host(client: Client, path: str) -> None:
    location = client.get(path).get("Location", "/")

    assert host_of(location, at="/") == "testserver"


@pytest.mark.parametrize(
    "address",
    [
        *ELSEWHERE,
        "",
        "http://localhost:8000.evil.example",
        "http://localhost:8000@evil.example",
        "http://evil@localhost:8000",
        "http://localhost:80000",
        "http://localhost",
        "https://localhost:8000",
        "http://LOCALHOST:8000.",
        "http:\\\\localhost:8000",
        "http://localhost:8000\\@evil.example",
        "http://localhost:8000/path",
        "http://localhost:8000?query",
        "http://localhost:8000#part",
        "http://[localhost:8000",
    ],
)
def test_finished_tasks_go_to_no_origin_outside_the_settings(address: str) -> None:
    with pytest.raises(FrameRefused):
        submit_origin(address)


@given(st.text(alphabet="htps:/\\@.#?localevixm08\t\n %[]", max_size=40))
def test_whatever_is_said_they_go_to_an_origin_of_the_settings_or_nowhere(address: str) -> None:
    try:
        origin = submit_origin("http://localhost:8000" + address)
    except FrameRefused:
        return
    assert origin in settings.MTURK_SUBMIT_ORIGINS
