from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from marketplace.models import Invitation, Worker
from tests.marketplace.factories import make_requester
from tests.marketplace_site.pages import focused_of, tags_of, text_of
from tests.marketplace_site.people import browser_of, make_signed_up

ATTEMPT = "0" * 32


def make_invitation(**fields: object) -> Invitation:
    return Invitation.objects.create(label="for readers", **fields)


def address(invitation: Invitation) -> str:
    return reverse("worker-join", args=[invitation.token])


def join(client: Client, invitation: Invitation, attempt: str = ATTEMPT, name: str = "Ada") -> str:
    data = {"display_name": name, "attempt": attempt}
    return client.post(address(invitation), data).headers.get("Location", "")


@pytest.mark.django_db
def test_an_invitation_says_who_invites_and_changes_nothing_when_opened(client: Client) -> None:
    invitation = make_invitation(requester=make_requester(name="Harbour Reading Lab"))

    response = client.get(address(invitation))

    assert response.status_code == 200
    assert "Harbour Reading Lab invites you" in text_of(response)
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_joining_makes_a_worker_signs_them_in_and_shows_their_link(client: Client) -> None:
    invitation = make_invitation()
    client.get(address(invitation))

    response = client.get(join(client, invitation))

    worker = Worker.objects.get()
    assert worker.display_name == "Ada"
    assert "Welcome. You are in." in text_of(response)
    link = next(i for i in tags_of(response, "input") if i.get("id") == "personal-link")
    assert link["value"].startswith("http://localhost:8000/worker/enter/")
    invitation.refresh_from_db()
    assert invitation.uses == 1


@pytest.mark.django_db
def test_joining_gives_the_session_a_new_key(client: Client) -> None:
    session = client.session
    session["planted"] = "before"
    session.save()
    before = session.session_key
    client.cookies["fabula_session"] = str(before)

    join(client, make_invitation())

    assert client.session.session_key != before


@pytest.mark.django_db
def test_the_same_form_sent_twice_makes_one_worker(client: Client) -> None:
    invitation = make_invitation()

    join(client, invitation)
    again = Client()
    location = join(again, invitation)

    assert location == f"{reverse('worker-account')}?welcome=1"
    assert Worker.objects.count() == 1
    invitation.refresh_from_db()
    assert invitation.uses == 1


@pytest.mark.django_db
def test_two_people_with_one_invitation_are_two_workers(client: Client) -> None:
    invitation = make_invitation()

    join(client, invitation, "a" * 32)
    join(Client(), invitation, "b" * 32)

    assert Worker.objects.count() == 2


@pytest.mark.django_db
def test_a_form_without_its_mark_is_asked_for_again(client: Client) -> None:
    response = client.post(address(make_invitation()), {"display_name": "Ada", "attempt": "x"})

    assert "Please press the button once more." in text_of(response)
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_a_name_that_is_too_long_is_told_where_the_focus_is(client: Client) -> None:
    data = {"display_name": "a" * 61, "attempt": ATTEMPT}
    response = client.post(address(make_invitation()), data)

    assert "at most 60 characters" in text_of(response)
    assert focused_of(response) == "display_name"
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_a_worker_who_opens_an_invitation_is_told_they_are_in(client: Client) -> None:
    invitation = make_invitation(max_uses=1)
    browser = browser_of(make_signed_up("ada"))

    for response in (browser.get(address(invitation)), browser.post(address(invitation))):
        assert "You have joined already" in text_of(response)

    invitation.refresh_from_db()
    assert invitation.uses == 0


@pytest.mark.django_db
def test_somebody_signed_in_who_is_no_worker_is_told_what_joining_ends(client: Client) -> None:
    client.force_login(User.objects.create_user("researcher", is_staff=True))
    invitation = make_invitation()

    assert "signed in as researcher" in text_of(client.get(address(invitation)))
    join(client, invitation)

    assert client.get(reverse("worker-list")).context["worker"] == Worker.objects.get()
    assert not User.objects.get(username="researcher").__dict__.get("worker")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"revoked_at": timezone.now()}, "withdrawn"),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "limited time"),
        ({"max_uses": 1, "uses": 1}, "As many people"),
    ],
)
def test_an_invitation_that_is_over_says_why(
    client: Client, fields: dict[str, object], words: str
) -> None:
    invitation = make_invitation(**fields)

    for response in (client.get(address(invitation)), client.post(address(invitation))):
        assert response.status_code == 410
        assert words in text_of(response)
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_an_unknown_invitation_says_so(client: Client) -> None:
    response = client.get(reverse("worker-join", args=["nothing-like-it"]))

    assert response.status_code == 404
    assert "never valid" in text_of(response)


@pytest.mark.django_db
def test_names_are_shown_as_text(client: Client) -> None:
    invitation = make_invitation(requester=make_requester(name="<script>lab()</script>"))

    opened = client.get(address(invitation))
    joined = client.get(join(client, invitation, name="<img src=x onerror=a()>"))

    assert "<script>lab()" not in opened.content.decode()
    assert "<script>lab()</script> invites you" in text_of(opened)
    assert "<img" not in joined.content.decode()
