"""While the database is away, every address says so truthfully, and when to come back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.test.utils import override_settings

from database.backend.base import DatabaseWrapper
from tests.everywhere.conftest import OWN_CACHE
from tests.everywhere.routes import Route, addresses, all_routes
from tests.everywhere.states import Request, requests_of
from tests.everywhere.visits import send
from tests.everywhere.world import World, make_world


def away(*args: object, **kwargs: object) -> None:
    raise OperationalError("the server closed the connection unexpectedly")


def requests_to(route: Route, world: World) -> Iterator[Request]:
    for address in addresses(route, world)[:1]:
        yield Request(address)
        yield Request(address, "POST")
    yield from requests_of(route.name, world, route.model)[:2]


@pytest.mark.django_db
def test_whatever_needs_it_answers_503(monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world("plain")
    staff = Client(raise_request_exception=False)
    staff.force_login(world.staff)
    asked = [(route, list(requests_to(route, world))) for route in all_routes()]

    with (
        override_settings(CACHES=settings.CACHES | {"default": OWN_CACHE}),
        monkeypatch.context() as patched,
    ):
        patched.setattr(BaseDatabaseWrapper, "_cursor", away)
        patched.setattr(DatabaseWrapper, "fetch", away)
        answers = [(route, send(staff, one)) for route, requests in asked for one in requests]

    failed = [(route, answer) for route, answer in answers if answer.status_code >= 500]
    assert not [str(route) for route, answer in failed if answer.status_code != 503]
    pages = [answer for route, answer in failed if route.pattern != "readyz"]
    assert len(pages) > 150
    assert all(answer["Retry-After"] for answer in pages)
    assert not [a for a in pages if a["Content-Type"] not in FOR_PROGRAMS and told(a) is False]


FOR_PROGRAMS = {"application/json", "application/problem+json"}


def told(answer: Any) -> bool:
    return "cannot be done right now" in answer.content.decode()
