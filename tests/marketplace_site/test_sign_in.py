from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from marketplace.models import Assignment, Worker
from marketplace.services.assignments import return_assignment, submit_assignment
from marketplace.services.reviews import reject_assignment
from marketplace.site.way_back import is_local
from tests.marketplace.factories import make_accepted, make_hit, make_submitted
from tests.marketplace_site.pages import focused_of, links_of, text_of
from tests.marketplace_site.people import browser_of, make_signed_up

SIGN_IN = "/worker/sign-in/"
PASSWORD = "a lantern on the pier"


def sign_in(client: Client, **data: str) -> str:
    response = client.post(SIGN_IN, {"login": "ada", "password": PASSWORD} | data)
    return response.headers.get("Location", "")


@pytest.mark.django_db
def test_a_worker_signs_in_with_user_name_and_password(client: Client) -> None:
    worker = make_signed_up("ada", PASSWORD)

    assert sign_in(client) == "/worker/"

    assert client.get("/worker/").context["worker"] == worker


@pytest.mark.django_db
def test_a_wrong_password_is_told_in_plain_words(client: Client) -> None:
    make_signed_up("ada", PASSWORD)

    response = client.post(SIGN_IN, {"login": "ada", "password": "something else"})

    assert "do not go together" in text_of(response)
    assert focused_of(response) == "password"
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
def test_an_empty_form_says_what_to_type(client: Client) -> None:
    page = client.post(SIGN_IN, {})

    words = text_of(page)
    assert focused_of(page) == "login"
    assert "Type your user name." in words
    assert "Type your password." in words


@pytest.mark.django_db
def test_guessing_a_password_is_slowed_down(client: Client) -> None:
    make_signed_up("ada", PASSWORD)

    for _ in range(12):
        client.post(SIGN_IN, {"login": "ada", "password": "a guess"})
    response = client.post(SIGN_IN, {"login": "ada", "password": PASSWORD})

    assert "Too many tries" in text_of(response)
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
def test_after_signing_in_one_is_where_one_wanted_to_go(client: Client) -> None:
    make_signed_up("ada", PASSWORD)
    asked = client.get("/worker/history/?show=approved").headers["Location"]

    assert asked == "/worker/sign-in/?next=%2Fworker%2Fhistory%2F%3Fshow%3Dapproved"
    assert "Sign in" in text_of(client.get(asked))
    assert sign_in(client, next="/worker/history/?show=approved") == (
        "/worker/history/?show=approved"
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example/",
        "https://evil.example/",
        "http://testserver/worker/",
        "/\\evil.example",
        "///evil.example",
        "javascript:alert(1)",
        "\t//evil.example",
    ],
)
def test_signing_in_never_leads_to_another_site(client: Client, elsewhere: str) -> None:
    make_signed_up("ada", PASSWORD)

    assert sign_in(client, next=elsewhere) == "/worker/"


def test_only_paths_are_local() -> None:
    assert is_local("/worker/")
    assert not is_local("")
    assert not is_local(None)
    assert not is_local("worker/")


@pytest.mark.django_db
def test_who_is_sent_from_a_submission_that_was_taken_is_told_that_it_counts(
    client: Client,
) -> None:
    assignment = make_submitted(make_hit().hit_type, make_signed_up("ada"))
    asked = client.get(reverse("worker-assignment", args=[assignment.assignment_id]))

    words = text_of(client.get(asked.headers["Location"]))

    assert "Your answers have arrived, and they count." in words
    assert assignment.hit.hit_type.title not in words


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["Accepted", "Returned", "Abandoned", "Rejected"])
def test_of_other_assignments_the_sign_in_page_tells_a_stranger_nothing(
    client: Client, state: str
) -> None:
    assignment = make_accepted(make_hit().hit_type, make_signed_up("ada"))
    if state == "Returned":
        return_assignment(assignment=assignment)
    elif state == "Abandoned":
        Assignment.objects.update(deadline=timezone.now() - timedelta(minutes=1))
    elif state == "Rejected":
        submit_assignment(assignment_id=assignment.assignment_id, fields=[])
        assignment.refresh_from_db()
        reject_assignment(assignment=assignment, at=timezone.now(), feedback="No.")
    own = reverse("worker-assignment", args=[assignment.assignment_id])

    plain = text_of(client.get(SIGN_IN, {"next": "/worker/history/"}))

    assert text_of(client.get(SIGN_IN, {"next": own})) == plain
    assert text_of(client.get(SIGN_IN, {"next": own.replace("3", "4")})) == plain
    assert "arrived" not in plain


@pytest.mark.django_db
def test_a_closed_account_cannot_sign_in(client: Client) -> None:
    worker = make_signed_up("ada", PASSWORD)
    User.objects.filter(worker=worker).update(is_active=False)

    sign_in(client)

    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
def test_signing_out_takes_a_post() -> None:
    browser = browser_of(make_signed_up("ada"))

    assert browser.get("/worker/sign-out/").status_code == 405
    assert "_auth_user_id" in browser.session
    response = browser.post("/worker/sign-out/", follow=True)

    assert "You are signed out." in text_of(response)
    assert "_auth_user_id" not in browser.session


@pytest.mark.django_db
def test_without_the_setting_people_join_by_invitation_only(client: Client) -> None:
    data = {"username": "new", "password1": PASSWORD, "password2": PASSWORD}

    assert "by invitation" in text_of(client.get("/worker/sign-up/"))
    assert "by invitation" in text_of(client.post("/worker/sign-up/", data))
    assert "/worker/sign-up/" not in links_of(client.get(SIGN_IN))
    assert not User.objects.exists()


@pytest.mark.django_db
def test_with_the_setting_people_make_an_account_and_start_working(
    client: Client, settings: Settings
) -> None:
    settings.MARKETPLACE_OPEN_SIGN_UP = True
    data = {"username": "new", "password1": PASSWORD, "password2": PASSWORD}

    assert "/worker/sign-up/" in links_of(client.get(SIGN_IN))
    client.post("/worker/sign-up/", data)
    asked = client.get("/worker/", follow=True)
    assert "has not worked here yet" in text_of(asked)
    assert not Worker.objects.exists()
    started = client.post(reverse("worker-start"), follow=True)

    assert "You can accept tasks now." in text_of(started)
    assert Worker.objects.get().user == User.objects.get(username="new")


@pytest.mark.django_db
def test_starting_twice_keeps_the_one_worker_and_needs_signing_in(client: Client) -> None:
    assert client.post(reverse("worker-start")).headers["Location"] == SIGN_IN
    client.force_login(User.objects.create_user("new"))

    for _ in range(2):
        client.post(reverse("worker-start"))

    assert Worker.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/worker/", "/worker/history/", "/worker/account/", "/worker/groups/3ABC/"]
)
def test_signed_out_people_are_asked_to_sign_in(client: Client, path: str) -> None:
    assert client.get(path).headers["Location"].startswith(SIGN_IN)
