"""What goes wrong around a submit: one response, a truthful page, nothing lost."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Frame, expect

from tests.e2e import study
from tests.e2e.people import Person, saved
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
SUBMIT_ADDRESS = "**/mturk/externalSubmit"


@pytest.fixture
def single(stack: Stack, tmp_path: Path) -> Stack:
    """A stack with one story and one slot: whoever holds it leaves none for others."""
    study.make_requester(stack)
    study.make_study(stack, tmp_path, study.STORIES[:1])
    stack.query("UPDATE studies_study SET records_process = false")
    study.launch_round(stack, overlap=1)
    return stack


@pytest.fixture
def mira(single: Stack, person: Person) -> Person:
    person.join(study.invitation(single, "Mira"), "Mira")
    return person


def test_a_double_click_on_submit_gives_one_response(single: Stack, mira: Person) -> None:
    frame = begin(single, mira)
    mira.fill_task(frame, "patient")

    frame.get_by_role("button", name="Submit").dblclick()

    mira.thanked()
    single.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'")
    assert assertions(single) == ["Someone is patient."]


def test_of_two_tabs_the_first_submit_counts_and_the_other_shows_what_became_of_it(
    single: Stack, mira: Person
) -> None:
    first = begin(single, mira)
    saved(first)
    second_page = mira.context.new_page()
    second_page.goto(mira.page.url)
    second = second_page.frame_locator("iframe#frame")
    mira.do_task(first, "first")
    single.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'")

    second.locator("[name=assertion]").fill("Someone is second.")
    expect(second.locator("#saved-state")).to_contain_text("This task is submitted already.")
    second.locator("[name=justification]").nth(1).check()
    second.locator("[name=changed_assertion]").fill("Nobody is second.")
    second.locator("[name=revision_5]").fill("Nothing more came of it.")
    second.get_by_role("button", name="Submit").click()

    expect(second_page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert assertions(single) == ["Someone is first."]


def test_two_tabs_that_write_say_so_and_keep_their_text(single: Stack, mira: Person) -> None:
    first = begin(single, mira)
    saved(first)
    other = mira.context.new_page()
    other.goto(mira.page.url)
    second = other.frame_locator("iframe#frame")
    words = "This task is open in another tab, too. What was saved last counts."

    first.locator("[name=assertion]").fill("Someone is first.")
    single.wait_for("SELECT draft::text LIKE '%%is first%%' FROM studies_assignment")
    expect(first.get_by_text(words)).to_be_hidden()
    second.locator("[name=assertion]").fill("Someone is second.")
    expect(second.get_by_text(words)).to_be_visible()
    first.locator("[name=assertion]").fill("Someone is first again.")
    expect(first.get_by_text(words)).to_be_visible()

    expect(first.locator("[name=assertion]")).to_have_value("Someone is first again.")
    expect(second.locator("[name=assertion]")).to_have_value("Someone is second.")


def test_a_task_returned_in_another_tab_leads_back_to_the_list_and_keeps_the_text(
    single: Stack, mira: Person
) -> None:
    frame, page = begin(single, mira), mira.page
    frame.locator("[name=assertion]").fill("Someone is first.")
    saved(frame)
    other = mira.context.new_page()
    other.goto(f"{page.url}return/")
    other.get_by_role("button", name="Return it").click()
    single.wait_for("SELECT count(*) = 1 FROM studies_assignment WHERE state = 'returned'")

    frame.locator("[name=assertion]").fill("Someone is late.")

    expect(page.get_by_role("alert").get_by_text("You returned this task")).to_be_visible()
    for gone in ("#timer", "#return", "#time-over"):
        expect(page.locator(gone)).to_be_hidden()
    expect(frame.locator("#timer")).to_be_hidden()
    expect(frame.get_by_role("button", name="Submit")).to_be_disabled()
    expect(frame.locator("[name=assertion]")).to_have_value("Someone is late.")
    assert single.query("SELECT draft->'fields'->>'assertion' FROM studies_assignment") == [
        ("Someone is late.",)
    ]
    page.get_by_role("link", name="Back to the list", exact=True).click()
    page.wait_for_url(re.compile("/worker/$"))


def test_a_submit_after_signing_out_says_that_it_counts_and_the_link_leads_back(
    single: Stack, mira: Person
) -> None:
    frame = begin(single, mira)
    mira.fill_task(frame, "away")
    address = mira.page.url
    other = mira.context.new_page()
    other.goto(f"{single.worker_site_url}/worker/")
    other.get_by_role("button", name="Sign out").click()

    frame.get_by_role("button", name="Submit").click()

    expect(mira.page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    expect(mira.page.get_by_text("Your answers have arrived, and they count.")).to_be_visible()
    assert assertions(single) == ["Someone is away."]
    mira.page.goto(mira.personal_link)
    mira.page.get_by_role("button", name="Sign in").click()
    mira.thanked()
    assert mira.page.url == address


def test_back_after_submitting_shows_what_became_of_it(single: Stack, mira: Person) -> None:
    mira.do_task(begin(single, mira), "patient")
    address = mira.page.url

    while True:
        mira.page.go_back()
        if mira.page.url != address:
            break
        mira.thanked()

    mira.page.go_forward()
    mira.thanked()
    assert assertions(single) == ["Someone is patient."]


def test_a_submit_after_the_deadline_is_told_and_the_text_comes_back(
    single: Stack, mira: Person
) -> None:
    frame = begin(single, mira)
    mira.fill_task(frame, "late")
    saved(frame)
    mira.let_lapse(single)

    frame.get_by_role("button", name="Submit").click()

    task = mira.page.frame_locator("iframe#frame")
    expect(task.get_by_role("heading", name="The time for this task has run out")).to_be_visible()
    expect(task.get_by_text("What you wrote is kept.")).to_be_visible()
    assert assertions(single) == []
    single.wait_for("SELECT count(*) = 1 FROM studies_assignment WHERE state = 'abandoned'")
    again = mira.accept(single.worker_site_url)
    expect(again.locator("[name=assertion]")).to_have_value("Someone is late.")


def test_a_submit_that_the_marketplace_never_received_can_be_sent_again(
    single: Stack, mira: Person
) -> None:
    frame = begin(single, mira)
    submit_into_the_void(single, mira, frame)

    mira.page.unroute(SUBMIT_ADDRESS)
    mira.page.reload()

    mira.thanked()
    single.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'")


def test_after_the_deadline_it_is_unconfirmed_shown_to_the_researcher_and_goes_with_the_next(
    single: Stack, mira: Person, tmp_path: Path
) -> None:
    frame = begin(single, mira)
    submit_into_the_void(single, mira, frame)
    mira.let_lapse(single)
    single.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'unconfirmed'")

    assert study.exported(single, tmp_path) == []
    assert "unconfirmed" in seen_by_the_researcher(single)
    mira.page.unroute(SUBMIT_ADDRESS)
    mira.accept_offer(single.worker_site_url)
    mira.thanked()

    single.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'")
    assert assertions(single) == ["Someone is unheard."]


def begin(stack: Stack, person: Person) -> Frame:
    """The task is open and the instructions are closed."""
    frame = person.accept(stack.worker_site_url)
    frame.get_by_role("button", name=re.compile("close|start", re.I)).first.click()
    return frame


def submit_into_the_void(stack: Stack, person: Person, frame: Frame) -> None:
    """Submit while the way to the marketplace is cut: our side has it, the marketplace has not."""
    person.page.route(SUBMIT_ADDRESS, lambda route: route.abort())
    person.fill_task(frame, "unheard")
    frame.get_by_role("button", name="Submit").click()
    stack.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'submitted'")


def assertions(stack: Stack) -> list[str]:
    return [text for (text,) in stack.query("SELECT answers->>'assertion' FROM studies_response")]


def seen_by_the_researcher(stack: Stack) -> str:
    """The round's page in the admin."""
    [(round_id,)] = stack.query("SELECT id FROM studies_round")
    with stack.django():
        client = Client()
        client.force_login(User.objects.create_superuser("researcher"))
        return client.get(f"/admin/studies/round/{round_id}/change/").content.decode().lower()
