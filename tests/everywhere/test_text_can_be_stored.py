"""A NUL, which PostgreSQL cannot hold, is answered by no address with a failure of ours."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.conf import settings
from django.test import Client
from django.test.utils import override_settings

from tests.everywhere.conftest import OWN_CACHE
from tests.everywhere.routes import Route
from tests.everywhere.states import Request
from tests.everywhere.test_framing_and_policy import SUBMIT_ANSWER, TASK_PAGES, framers_of
from tests.everywhere.visits import STAFF, WORKER, Visit, visit_everything
from tests.everywhere.world import make_world

# As the API answers.
PROBLEM = "application/problem+json"
NAMES = ["q", "id", "o", "p", "e", "next", "page", "order", "round", "token", "workerId", "login"]
MORE = ["\0", "username", "assignmentId", "action", "display_name", "_selected_action"]


def asked_for(request: Request) -> Request:
    joint = "&" if "?" in request.address else "?"
    query = "&".join(f"{name}=a%00b" for name in NAMES)
    return replace(request, address=f"{request.address}{joint}{query}")


def sent(request: Request) -> Request:
    typed = {name: f"{text}\0" for name, text in request.data.items() if isinstance(text, str)}
    data = {**dict.fromkeys([*NAMES, *MORE], "a\0b"), **request.data, **typed}
    return replace(request, method="POST", data=data)


def readers_of(route: Route) -> tuple[str, ...]:
    return (STAFF if route.is_admin else WORKER,)


def visits(monkeypatch: pytest.MonkeyPatch, changed: Callable[[Request], Request]) -> list[Visit]:
    monkeypatch.setattr("studies.mturk.grant_qualification", lambda *ids: None)
    with override_settings(CACHES=settings.CACHES | {"default": OWN_CACHE}):
        return visit_everything(make_world("plain"), readers_of, changed)


@pytest.mark.django_db
def test_a_query_with_a_nul_is_refused_on_a_plain_page(monkeypatch: pytest.MonkeyPatch) -> None:
    found = visits(monkeypatch, asked_for)

    assert not [str(visit) for visit in found if visit.status >= 500]
    refused = [visit for visit in found if visit.status == 400]
    assert len(refused) > 200
    assert all(
        "could not be read" in visit.body or visit.headers["Content-Type"] == PROBLEM
        for visit in refused
    )
    task_pages = dict.fromkeys(TASK_PAGES, " ".join(settings.MTURK_SUBMIT_ORIGINS))
    framers = task_pages | dict.fromkeys(SUBMIT_ANSWER, f"'self' {settings.WORKER_SITE_URL}")
    assert framers.keys() <= {visit.route.name for visit in refused}
    assert not [
        str(visit)
        for visit in refused
        if framers_of(visit) != framers.get(visit.route.name, "'none'")
        or ("X-Frame-Options" in visit.headers) == (visit.route.name in framers)
    ]


@pytest.mark.django_db
def test_a_form_with_a_nul_is_no_failure_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    found = visits(monkeypatch, sent)

    assert not [str(visit) for visit in found if visit.status >= 500]
    assert len([visit for visit in found if visit.status == 400]) > 150


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["abcdefgh\0ijkl", "abcdefgh'--ijk", "\u00e9" * 32, "", "a" * 500])
def test_a_made_up_session_is_none(client: Client, key: str) -> None:
    # As it is sent: newer Pythons write no such cookie themselves.
    sent = f'{settings.SESSION_COOKIE_NAME}="{key}"'.encode().decode("latin-1")

    answer = client.get("/worker/", headers={"cookie": sent})

    assert answer.headers["Location"].startswith("/worker/sign-in/")
