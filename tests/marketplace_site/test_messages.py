from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from marketplace.models import Worker
from marketplace.services.messages import send_messages
from tests.marketplace.factories import make_requester
from tests.marketplace_site.pages import tags_of, text_of
from tests.marketplace_site.people import make_signed_up

pytestmark = pytest.mark.django_db
Write = Callable[..., None]


@pytest.fixture
def write(worker: Worker) -> Write:
    requester = make_requester(name="Reading lab")

    def write(subject: str = "More stories", text: str = "Come back.", *to: Worker) -> None:
        now = timezone.now()
        send_messages(
            requester=requester, workers=to or [worker], subject=subject, text=text, at=now
        )

    return write


def test_without_messages_the_page_says_what_will_be_here(browser: Client) -> None:
    page = browser.get("/worker/messages/")

    assert "No messages yet" in text_of(page)
    assert "Messages Account" in text_of(browser.get("/worker/account/"))


def test_new_messages_are_counted_on_every_page_until_they_are_read(
    browser: Client, write: Write
) -> None:
    write()
    write(
        "<b>Bonus</b>", "javascript:alert(1) <script>x</script>\nhttps://example.org/more?a=1&b=2"
    )
    assert "Messages 2 new" in text_of(browser.get("/worker/account/"))

    page = browser.get("/worker/messages/")

    words = text_of(page)
    for expected in ("Reading lab", "<b>Bonus</b>", "<script>x</script>", "Come back.", "New"):
        assert expected in words
    links = [tag["href"] for tag in tags_of(page, "a") if tag.get("rel") == "nofollow"]
    assert links == ["https://example.org/more?a=1&b=2"]
    assert "Messages 2 new" not in text_of(browser.get("/worker/account/"))
    assert "New" not in text_of(browser.get("/worker/messages/"))


def test_what_is_on_the_next_page_stays_new(browser: Client, write: Write, worker: Worker) -> None:
    for number in range(21):
        write(f"Number {number}")

    browser.get("/worker/messages/")

    worker.refresh_from_db()
    assert worker.unread_messages == 1
    assert "Number 0" in text_of(browser.get("/worker/messages/?page=2"))
    worker.refresh_from_db()
    assert worker.unread_messages == 0


def test_more_than_99_are_not_counted_out(browser: Client, worker: Worker) -> None:
    for unread, said in ((99, "Messages 99 new"), (100, "Messages 99+ new")):
        Worker.objects.filter(pk=worker.pk).update(unread_messages=unread)
        assert said in text_of(browser.get("/worker/account/"))


def test_nobody_elses_messages_are_shown(browser: Client, write: Write) -> None:
    write("For Ben alone", "Hello Ben.", make_signed_up("ben"))

    assert "Ben" not in text_of(browser.get("/worker/messages/"))


def test_signed_out_people_are_sent_to_sign_in(client: Client) -> None:
    answer: Any = client.get("/worker/messages/")

    assert answer.status_code == 302
    assert answer.headers["Location"].endswith("?next=%2Fworker%2Fmessages%2F")


def test_many_messages_take_as_many_statements_as_one(browser: Client, write: Write) -> None:
    write()
    with CaptureQueriesContext(connection) as few:
        browser.get("/worker/messages/")
    for number in range(15):
        write(f"Number {number}")

    with CaptureQueriesContext(connection) as many:
        browser.get("/worker/messages/")

    assert len(many) == len(few)
