"""The whole way with scripts switched off, from the list to a confirmed response."""

import re

import pytest
from playwright.sync_api import Browser, FrameLocator, expect

from tests.e2e import study
from tests.e2e.people import Person
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
TWO_SENTENCES = "Nothing more came of it. The street was quiet."


def test_a_task_is_done_without_scripts(harbour: Stack, chromium: Browser) -> None:
    vera = Person(chromium, scripts=False)
    vera.join(study.invitation(harbour, "Vera"), "Vera")
    vera.accept(harbour.worker_site_url)
    task = vera.page.frame_locator("iframe#frame")
    task.get_by_role("button", name=re.compile("agree")).click()
    task.get_by_role("button", name="No, do not").click()
    expect(task.locator("noscript .notice")).to_contain_text("does not run scripts")

    submit(task)
    problems = task.get_by_role("group", name="Before you can submit")
    expect(problems).to_be_in_viewport()
    expect(problems.get_by_role("listitem")).to_have_text(
        [re.compile("Step 1"), re.compile("step 2"), re.compile("Step 3"), re.compile("the same")]
    )
    fill(task)
    submit(task)
    expect(task.get_by_role("group", name="Please look once more")).to_be_in_viewport()
    expect(task.locator("[name=assertion]")).to_have_value("Someone is patient.")
    submit(task)
    task.get_by_role("button", name="Send it on").click()
    expect(task.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()

    harbour.wait_for("SELECT count(*) = 1 FROM studies_response WHERE state = 'confirmed'")
    [(cautions,)] = harbour.query("SELECT cautions FROM studies_response")
    assert [caution["code"] for caution in cautions] == ["sentence_count"]
    vera.context.close()


def fill(task: FrameLocator) -> None:
    task.locator("[name=assertion]").fill("Someone is patient.")
    task.locator("[name=justification]").nth(1).check()
    task.locator("[name=changed_assertion]").fill("Someone is impatient.")
    task.locator("[name=revision_5]").fill(TWO_SENTENCES)


def submit(task: FrameLocator) -> None:
    task.get_by_role("button", name=re.compile("^Submit")).click()
