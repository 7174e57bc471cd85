"""What both the screenshots and the checks look at: a page in one of its states."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page

from marketplace.models import Assignment, Worker
from tests.scenes.world import Ground, World


@dataclass
class Visit:
    """One person's look at one page, in a tab of its own."""

    ground: Ground
    page: Page

    @property
    def world(self) -> World:
        assert isinstance(self.ground, World)
        return self.ground

    def sign_in(self, user: User) -> None:
        """Both of the site's names know `user` from here on."""
        with self.ground.stack.django():
            client = Client()
            client.force_login(user)
        for url in (self.ground.stack.worker_site_url, self.ground.stack.task_site_url):
            for cookie in client.cookies.values():
                self.page.context.add_cookies(
                    [{"name": cookie.key, "value": cookie.value, "url": url}]
                )

    def come_as(self, worker: Worker) -> Worker:
        assert worker.user is not None
        self.sign_in(worker.user)
        return worker

    def open(self, path: str) -> None:
        """A page of the worker site."""
        self.page.goto(self.ground.stack.worker_site_url + path)

    def open_admin(self, path: str = "") -> None:
        self.sign_in(self.ground.researcher)
        self.page.goto(f"{self.ground.stack.task_site_url}/admin/{path}")

    def open_task(self, *, assignment: Assignment) -> None:
        """The task page by itself, as it is inside the marketplace's frame."""
        self.page.goto(self.world.frame_of(assignment))


@dataclass(frozen=True)
class Scene:
    """`show` brings the visit's page into the state that the name says.

    A `bare` scene is set on a site that has its accounts and nothing else; of a `still` one only
    the screen is looked at, as it is scrolled.
    """

    name: str
    show: Callable[[Visit], object]
    bare: bool = False
    still: bool = False

    def __str__(self) -> str:
        return self.name


def admin(name: str, path: str, *, bare: bool = False) -> Scene:
    """A page of the admin that needs no more than its address."""
    return Scene(name, partial(Visit.open_admin, path=path), bare)
