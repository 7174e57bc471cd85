"""Goes everywhere once, as nobody, as a worker and as staff, and keeps what came back."""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from tests.everywhere.routes import Route, addresses, all_routes
from tests.everywhere.states import Request, requests_of
from tests.everywhere.world import World

NOBODY, WORKER, STAFF = "nobody", "worker", "staff"


@dataclass(frozen=True)
class Visit:
    route: Route
    who: str
    request: Request
    status: int
    headers: dict[str, str]
    body: str

    @property
    def is_page(self) -> bool:
        return self.headers.get("Content-Type", "").startswith("text/html") and bool(self.body)

    def __str__(self) -> str:
        return f"{self.request.method} {self.request.address[:120]} as {self.who}: {self.status}"


def readers_of(route: Route) -> tuple[str, ...]:
    """In the admin everybody else is sent to its sign-in; task pages look at no cookie."""
    if route.is_admin:
        return (STAFF,)
    return (NOBODY, WORKER) if route.is_framed else (NOBODY, WORKER, STAFF)


def visit_everything(
    world: World,
    readers_of: Callable[[Route], tuple[str, ...]] = readers_of,
    changed: Callable[[Request], Request] = lambda request: request,
) -> list[Visit]:
    browsers = _browsers(world)
    return [
        _visit(browsers[who], who, route, request)
        for route in all_routes()
        for request in _distinct(map(changed, _requests(route, world)))
        for who in readers_of(route)
    ]


def _distinct(requests: Iterable[Request]) -> Iterator[Request]:
    """What was asked before is answered as before: a visit leaves nothing behind."""
    seen: list[Request] = []
    for request in requests:
        if request not in seen:
            seen.append(request)
            yield request


def _requests(route: Route, world: World) -> Iterator[Request]:
    for address in addresses(route, world):
        yield Request(address)
        yield Request(address, method="POST")
    yield from requests_of(route.name, world, route.model)


def _browsers(world: World) -> dict[str, Client]:
    worker = world.worker.user
    assert isinstance(worker, User)
    found = {NOBODY: Client(), WORKER: Client(), STAFF: Client()}
    found[WORKER].force_login(worker)
    found[STAFF].force_login(world.staff)
    for browser in found.values():
        browser.raise_request_exception = False
    return found


def _visit(browser: Client, who: str, route: Route, request: Request) -> Visit:
    """What a visit changes is taken back, in the database and in the browser."""
    cookies = deepcopy(browser.cookies)
    with transaction.atomic():
        response = send(browser, request)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        transaction.set_rollback(True)
    browser.cookies = cookies
    text = body.decode(errors="replace")
    return Visit(route, who, request, response.status_code, dict(response.headers), text)


def send(browser: Client, request: Request) -> Any:
    if request.method == "GET":
        return browser.get(request.address)
    return browser.post(request.address, request.data)
