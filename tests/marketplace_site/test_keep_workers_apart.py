"""One browser, two workers; and what a worker tries with the ids of another."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from marketplace.models import Assignment, Worker
from marketplace.site.links import personal_link
from tests.everywhere.routes import PARAMETER, all_routes
from tests.marketplace.factories import make_accepted, make_hit, make_hit_type, make_submitted
from tests.marketplace_site.pages import text_of
from tests.marketplace_site.people import browser_of, make_signed_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def ben() -> Worker:
    return make_signed_up("ben")


@pytest.fixture
def adas(worker: Worker) -> Assignment:
    """Ada works on one task, and had another one that was submitted."""
    done, held = make_hit_type(), make_hit_type()
    make_hit(done)
    make_submitted(done, worker)
    make_hit(held)
    return make_accepted(held, worker)


def test_every_address_with_an_assignment_is_closed_to_everybody_else(
    ben: Worker, worker: Worker, adas: Assignment
) -> None:
    routes = [route for route in all_routes() if "assignment_id" in route.pattern]
    assert len(routes) >= 2

    for route in routes:
        for mine in worker.assignments.all():
            path = "/" + PARAMETER.sub(mine.assignment_id, route.pattern)
            for answer in (browser_of(ben).get(path), browser_of(ben).post(path)):
                assert answer.status_code == 404
                assert mine.hit.hit_type.title not in answer.text

    adas.refresh_from_db()
    assert adas.status == Assignment.Status.ACCEPTED


def test_no_page_of_a_worker_shows_what_another_one_does(ben: Worker, adas: Assignment) -> None:
    browser = browser_of(ben)
    for path in ("/worker/", "/worker/history/", "/worker/account/", "/worker/history/?show=all"):
        page = browser.get(path)
        assert page.status_code == 200
        assert adas.assignment_id not in page.text
        assert "ada" not in re.sub(r"\W", " ", text_of(page).lower()).split()


def change_worker(browser: Client, worker: Worker) -> Any:
    """By personal link, as a second person at the same computer would."""
    link = personal_link(worker)
    return browser.post(link.removeprefix("http://localhost:8000"))


def test_the_second_worker_of_a_browser_finds_nothing_of_the_first(
    worker: Worker, ben: Worker, adas: Assignment
) -> None:
    browser = browser_of(worker)
    browser.post(reverse("worker-preferences"), {"accepts_next_shown": "1", "accepts_next": "1"})
    before = browser.session.session_key

    change_worker(browser, ben)

    assert browser.session.session_key != before
    assert "accept_next_at_once" not in browser.session
    assert adas.assignment_id not in browser.get("/worker/").text
    assert browser.get(reverse("worker-assignment", args=[adas.assignment_id])).status_code == 404


def test_a_tab_that_the_first_worker_left_open_does_nothing_for_the_second(
    worker: Worker, ben: Worker, adas: Assignment
) -> None:
    """Its buttons carry the first worker's token against forged requests, too."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(worker.user)  # type: ignore[arg-type]
    tab = browser.get(reverse("worker-assignment", args=[adas.assignment_id]))
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', tab.text)
    assert token
    browser.handler.enforce_csrf_checks = False
    change_worker(browser, ben)
    give_back = reverse("worker-return", args=[adas.assignment_id])

    assert browser.post(give_back).status_code == 404
    browser.handler.enforce_csrf_checks = True
    assert browser.post(give_back, {"csrfmiddlewaretoken": token.group(1)}).status_code == 403

    adas.refresh_from_db()
    assert adas.status == Assignment.Status.ACCEPTED


def test_after_signing_out_every_page_asks_to_sign_in(worker: Worker, adas: Assignment) -> None:
    browser = browser_of(worker)
    browser.post(reverse("worker-sign-out"))

    for name, args in (("worker-list", []), ("worker-assignment", [adas.assignment_id])):
        location = browser.get(reverse(name, args=args))["Location"]
        assert location.startswith("/worker/sign-in/")


def test_a_new_password_ends_the_sessions_of_other_browsers() -> None:
    worker = make_signed_up("ada", "a lantern on the pier")
    here, elsewhere = browser_of(worker), browser_of(worker)
    given = {"username": "ada", "current_password": "a lantern on the pier"}
    new = {"password": "a boat under it", "password_again": "a boat under it"}

    here.post(reverse("worker-set-password"), given | new)

    assert here.get("/worker/").status_code == 200
    assert elsewhere.get("/worker/").status_code == 302
