import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from marketplace.models import Worker
from tests.marketplace_site.pages import focused_of, tags_of, text_of
from tests.marketplace_site.people import browser_of, make_signed_up

PASSWORD = "a lantern on the pier"
NEW = {"username": "ada.l", "password": PASSWORD, "password_again": PASSWORD}


@pytest.mark.django_db
def test_the_account_shows_the_link_and_what_requesters_see(
    browser: Client, worker: Worker
) -> None:
    response = browser.get("/worker/account/")

    assert worker.worker_id in text_of(response)
    assert any(i.get("id") == "personal-link" for i in tags_of(response, "input"))
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_staff_have_no_personal_link_to_copy(browser: Client, worker: Worker) -> None:
    User.objects.filter(worker=worker).update(is_staff=True)

    response = browser.get("/worker/account/")

    assert "it has no personal link" in text_of(response)
    assert not any(i.get("id") == "personal-link" for i in tags_of(response, "input"))


@pytest.mark.django_db
def test_a_worker_sets_user_name_and_password_and_stays_signed_in(
    browser: Client, client: Client
) -> None:
    response = browser.post(reverse("worker-set-password"), NEW, follow=True)

    assert "You can sign in with this user name" in text_of(response)
    assert client.login(username="ada.l", password=PASSWORD)


@pytest.mark.django_db
def test_changing_the_password_takes_the_current_one() -> None:
    worker = make_signed_up("ada", "the one before")
    browser = browser_of(worker)

    refused = browser.post(reverse("worker-set-password"), NEW | {"current_password": "a guess"})
    assert refused.status_code == 422
    assert "This is not your current password." in text_of(refused)
    browser.post(reverse("worker-set-password"), NEW | {"current_password": "the one before"})

    assert User.objects.get(worker=worker).check_password(PASSWORD)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"username": "taken"}, "This user name is taken."),
        ({"username": "no spaces please"}, "Use only letters"),
        ({"username": ""}, "Fill this in."),
        ({"password_again": "another"}, "The two passwords differ."),
        ({"password": "12345678", "password_again": "12345678"}, "only digits"),
        (
            {"password": "adalove1", "password_again": "adalove1", "username": "adalove"},
            "much like",
        ),
    ],
)
def test_what_is_wrong_with_user_name_or_password_is_said_beside_it(
    browser: Client, worker: Worker, change: dict[str, str], words: str
) -> None:
    User.objects.create_user("taken")

    response = browser.post(reverse("worker-set-password"), NEW | change)

    assert response.status_code == 422
    assert words in text_of(response)
    assert focused_of(response) == next(iter(change))
    assert not User.objects.get(worker=worker).has_usable_password()


@pytest.mark.django_db
def test_a_worker_changes_the_name_shown(browser: Client, worker: Worker) -> None:
    browser.post(reverse("worker-rename"), {"display_name": "Ada <i>L</i>"})
    response = browser.get("/worker/account/")
    refused = browser.post(reverse("worker-rename"), {"display_name": "x" * 61})

    worker.refresh_from_db()
    assert worker.display_name == "Ada <i>L</i>"
    assert "<i>L</i>" not in response.content.decode()
    assert refused.status_code == 422


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["worker-rename", "worker-set-password", "worker-new-link"])
def test_changes_take_a_post_from_a_worker(browser: Client, client: Client, name: str) -> None:
    assert browser.get(reverse(name)).status_code == 405
    assert client.post(reverse(name)).headers["Location"].startswith("/worker/sign-in/")
