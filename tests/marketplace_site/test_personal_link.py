from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from marketplace.models import Worker
from marketplace.site.links import personal_link, replace_link
from marketplace.site.way_back import COOKIE
from tests.marketplace.factories import make_accepted, make_hit
from tests.marketplace_site.pages import text_of
from tests.marketplace_site.people import browser_of, make_signed_up

ELSEWHERE = (
    "//evil.example/",
    "https://evil.example/",
    "http://testserver/worker/",
    "/\\evil.example",
    "///evil.example",
    "javascript:alert(1)",
    "\t//evil.example",
)


def path_of(worker: Worker) -> str:
    return urlsplit(personal_link(worker)).path


@pytest.mark.django_db
def test_opening_the_link_says_as_whom_and_signs_in_only_when_pressed(client: Client) -> None:
    worker = make_signed_up("ada")

    opened = client.get(path_of(worker))
    assert "signs you in as ada" in text_of(opened)
    assert "_auth_user_id" not in client.session
    client.post(path_of(worker))

    assert client.get("/worker/").context["worker"] == worker


@pytest.mark.django_db
def test_the_link_leads_where_one_wanted_to_go_once(client: Client) -> None:
    worker = make_signed_up("ada")
    assignment = make_accepted(make_hit().hit_type, worker)
    own = reverse("worker-assignment", args=[assignment.assignment_id])
    for wanted in (own, "/worker/history/?show=approved"):
        client.get(client.get(wanted).headers["Location"])

        assert client.post(path_of(worker)).headers["Location"] == wanted
        assert client.post(path_of(worker)).headers["Location"] == "/worker/"
        client.post(reverse("worker-sign-out"))


@pytest.mark.django_db
def test_signing_in_elsewhere_than_asked_to_forgets_where_one_wanted_to_go(client: Client) -> None:
    worker = make_signed_up("ada")
    client.get(client.get("/worker/history/").headers["Location"])

    client.get(reverse("worker-sign-in"))

    assert client.post(path_of(worker)).headers["Location"] == "/worker/"


@pytest.mark.django_db
@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_the_link_never_leads_to_another_site(client: Client, elsewhere: str) -> None:
    worker = make_signed_up("ada")

    client.get(reverse("worker-sign-in"), {"next": elsewhere})
    assert client.post(path_of(worker)).headers["Location"] == "/worker/"
    client.cookies[COOKIE] = elsewhere

    assert client.post(path_of(worker)).headers["Location"] == "/worker/"


@pytest.mark.django_db
def test_the_link_does_not_lead_to_the_assignment_of_somebody_else(client: Client) -> None:
    assignment = make_accepted(make_hit().hit_type, make_signed_up("ben"))
    own = reverse("worker-assignment", args=[assignment.assignment_id])
    client.get(client.get(own).headers["Location"])

    assert client.post(path_of(make_signed_up("ada"))).headers["Location"] == "/worker/"


@pytest.mark.django_db
def test_signing_in_by_link_gives_the_session_a_new_key(client: Client) -> None:
    session = client.session
    session["planted"] = "before"
    session.save()
    client.cookies["fabula_session"] = str(session.session_key)

    client.post(path_of(make_signed_up("ada")))

    assert client.session.session_key != session.session_key


@pytest.mark.django_db
def test_the_link_of_another_worker_says_who_is_signed_in_here() -> None:
    browser = browser_of(make_signed_up("ada"))
    other = make_signed_up("ben")

    assert "signed in as ada; that ends" in text_of(browser.get(path_of(other)))
    browser.post(path_of(other))

    assert browser.get("/worker/").context["worker"] == other


@pytest.mark.django_db
def test_a_new_link_ends_the_one_before(client: Client, worker: Worker) -> None:
    before = path_of(worker)

    browser_of(worker).post(reverse("worker-new-link"))

    worker.refresh_from_db()
    refused = client.post(before)
    assert refused.status_code == 404
    assert "A newer link has replaced this one." in text_of(refused)
    assert client.post(path_of(worker)).status_code == 302


@pytest.mark.django_db
def test_replacing_a_link_twice_at_once_still_ends_the_old_ones(worker: Worker) -> None:
    stale = Worker.objects.get(pk=worker.pk)

    replace_link(worker=worker)
    replace_link(worker=stale)

    assert stale.link_version == 3


@pytest.mark.django_db
def test_an_altered_link_is_refused(client: Client, worker: Worker) -> None:
    refused = client.post(path_of(worker)[:-3] + "abc/")

    assert refused.status_code == 404
    assert "not complete" in text_of(refused)
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"is_active": False}, "This account is closed."),
        ({"is_staff": True}, "needs its user name and password"),
        ({"is_superuser": True}, "needs its user name and password"),
    ],
)
def test_the_link_of_a_closed_or_staff_account_is_refused(
    client: Client, worker: Worker, change: dict[str, bool], words: str
) -> None:
    User.objects.filter(worker=worker).update(**change)

    refused = client.post(path_of(worker))

    assert refused.status_code == 404
    assert words in text_of(refused)
    assert "_auth_user_id" not in client.session
