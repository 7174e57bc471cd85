"""The second round and a rejection answered: a worker and a researcher at real browsers."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, expect

from tests.e2e import study
from tests.e2e.people import Person, until
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(480)]
CONFIRMED = "SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'"
REASON = "The revision still leaves the changed assertion unlikely."
ANSWER = "In the last sentence nothing comes of it, so somebody is no longer patient."
ACCEPTED_IN_ROUND_TWO = """
    SELECT count(*) FROM marketplace_assignment a
    JOIN marketplace_hit h ON h.id = a.hit_id
    JOIN marketplace_hittype t ON t.id = h.hit_type_id
    JOIN studies_round r ON r.hit_type_id = t.hit_type_id
    WHERE r.number = 2
"""
PAID = "SELECT amount_usd::text FROM marketplace_ledgerentry WHERE kind = 'reward'"


@pytest.fixture
def ada(chromium: Browser) -> Iterator[Person]:
    person = Person(chromium)
    yield person
    person.context.close()


@pytest.fixture
def bo(chromium: Browser) -> Iterator[Person]:
    person = Person(chromium)
    yield person
    person.context.close()


@pytest.fixture
def researcher(harbour: Stack, chromium: Browser) -> Iterator[Person]:
    with harbour.django():
        session = Client()
        session.force_login(User.objects.create_superuser("helena"))
    person = Person(chromium)
    for cookie in session.cookies.values():
        person.context.add_cookies(
            [{"name": cookie.key, "value": cookie.value, "url": harbour.task_site_url}]
        )
    yield person
    person.context.close()


def work_once(person: Person, stack: Stack, name: str) -> None:
    person.join(study.invitation(stack, name), name)
    person.accept(stack.worker_site_url)
    person.do_task(person.agree(), "patient")


def group_of_round_two(stack: Stack) -> str:
    """The address at which the round's tasks are accepted."""
    ((group_id,),) = stack.query(
        "SELECT group_id FROM marketplace_hittype t JOIN studies_round r "
        "ON r.hit_type_id = t.hit_type_id WHERE r.number = 2"
    )
    return f"{stack.worker_site_url}/worker/groups/{group_id}/"


def test_only_a_proficient_worker_sees_and_accepts_round_two(
    harbour: Stack, ada: Person, bo: Person
) -> None:
    work_once(ada, harbour, "Ada")
    harbour.wait_for(CONFIRMED)
    bo.join(study.invitation(harbour, "Bo"), "Bo")
    bo.accept(harbour.worker_site_url)
    bo.agree()
    bo.page.locator("#return").click()
    bo.page.get_by_role("button", name=re.compile("Return")).last.click()
    # Ada's work was approved and is enough for this study; Bo's is not there.
    harbour.query("UPDATE studies_assignment SET state = 'approved' WHERE state = 'submitted'")
    harbour.call("qualify_workers", study.STUDY, "--min-approved=1", "--apply")
    harbour.call("change_round", study.STUDY, "1", "close")
    said = study.launch_round(harbour, overlap=1, eligibility="proficient", per_worker="1")
    assert said["state"] == "open"
    group = group_of_round_two(harbour)

    # Bo neither sees it nor gets it by its address, nor by posting what the button would post.
    bo.page.goto(f"{harbour.worker_site_url}/worker/")
    expect(bo.offers()).to_have_count(0)
    bo.page.goto(group)
    expect(bo.page.get_by_role("button", name="Accept")).to_have_count(0)
    expect(bo.page.locator("iframe")).to_have_count(0)
    token = bo.page.locator("[name=csrfmiddlewaretoken]").first.input_value()
    posted = bo.page.request.post(
        f"{group}accept/",
        form={"csrfmiddlewaretoken": token},
        headers={"Referer": group},
        max_redirects=0,
    )
    assert posted.status == 403
    assert harbour.query(ACCEPTED_IN_ROUND_TWO) == [(0,)]

    # Ada does, once, as the round says; then it is not offered to her any more.
    frame = ada.accept(harbour.worker_site_url)
    ada.do_task(frame, "proficient")
    assert harbour.query(ACCEPTED_IN_ROUND_TWO) == [(1,)]
    until(lambda: not ada.finds_offers(harbour.worker_site_url), ada.page, "Ada is held back")


def test_a_worker_answers_a_rejection_and_the_researcher_reads_it_and_pays_after_all(
    harbour: Stack, ada: Person, researcher: Person
) -> None:
    work_once(ada, harbour, "Ada")
    harbour.wait_for(CONFIRMED)
    ((response,),) = harbour.query("SELECT id FROM studies_response")
    where = f"{harbour.task_site_url}/admin/studies/response/{response}/change/"

    page = researcher.page
    page.goto(where)
    page.get_by_text("Reject with a reason").click()
    page.locator("[name=reason]").fill(REASON)
    page.get_by_role("button", name="Reject this response").click()
    harbour.wait_for("SELECT count(*) = 1 FROM marketplace_assignment WHERE status = 'Rejected'")

    ada.page.goto(f"{harbour.worker_site_url}/worker/history/")
    expect(ada.page.get_by_text(REASON)).to_be_visible()
    ada.page.get_by_role("link", name="Answer this rejection").click()
    form, written = ada.page.url, ada.page.get_by_label("Your answer")
    written.fill(ANSWER)
    cookies: Any = ada.context.cookies()
    ada.context.clear_cookies()
    ada.page.get_by_role("button", name="Send your answer").click()
    expect(written).to_have_count(0)
    ada.context.add_cookies(cookies)
    ada.page.goto(form)
    expect(written).to_have_value(ANSWER)
    ada.page.get_by_role("button", name="Send your answer").click()
    expect(ada.page.get_by_text("Your answer is on its way")).to_be_visible()
    expect(ada.page.get_by_text(ANSWER)).to_be_visible()
    expect(ada.page.get_by_role("link", name="Answer this rejection")).to_have_count(0)

    harbour.wait_for("SELECT count(*) = 1 FROM studies_payment WHERE answer <> ''")
    page.goto(f"{harbour.task_site_url}/admin/studies/payment/?answered=yes")
    page.locator("#result_list tbody th a").first.click()
    expect(page.get_by_text(ANSWER)).to_be_visible()
    page.goto(where)
    expect(page.get_by_text(ANSWER)).to_be_visible()
    page.get_by_text("Approve after all", exact=True).click()
    page.get_by_role("button", name="Take the rejection back and pay").click()
    expect(page.get_by_text("the payment is being sent")).to_be_visible()

    harbour.wait_for("SELECT count(*) = 1 FROM studies_payment WHERE state = 'confirmed'")
    assert harbour.query(PAID) == [("-0.35",)]
    ada.page.reload()
    expect(ada.page.locator(".pill-good", has_text="Approved")).to_be_visible()
    expect(ada.page.get_by_text(ANSWER)).to_be_visible()
