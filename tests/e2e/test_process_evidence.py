"""How a text comes to be, from a real keyboard and clipboard to the row beside the response."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e import study
from tests.e2e.people import Person, saved
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
PASTED = "Zugspitze marmalade 4711"
ROWS = """SELECT string_agg(t::text, ' ') FROM "{}" t"""


@pytest.fixture
def ada(stack: Stack, person: Person, tmp_path: Path) -> Person:
    """A worker who agreed to everything and has the first task open."""
    study.make_requester(stack)
    study.make_study(stack, tmp_path)
    stack.query("UPDATE studies_study SET consent_text = 'Take part?'")
    study.launch_round(stack, overlap=1)
    person.join(study.invitation(stack, "Ada"), "Ada")
    person.accept(stack.worker_site_url)
    person.agree()
    return person


def everything_stored(stack: Stack) -> str:
    """Each row of each table, as text."""
    tables = stack.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return " ".join(str(stack.query(ROWS.format(name))[0][0]) for (name,) in tables)


def test_typing_and_a_paste_are_counted_across_a_reload_and_no_clipboard_is_stored(
    stack: Stack, ada: Person
) -> None:
    page, frame = ada.page, ada.frame()
    ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", PASTED)
    frame.locator("[name=assertion]").click()
    page.keyboard.press("Control+V")
    expect(frame.locator("[name=assertion]")).to_have_value(PASTED)
    page.keyboard.press("Control+A")
    page.keyboard.type("Someone is kind.")
    saved(frame)
    stack.wait_for(
        "SELECT draft->'fields'->>'assertion' = 'Someone is kind.' FROM studies_assignment"
    )
    page.reload()
    frame = ada.frame()
    expect(frame.locator("[name=assertion]")).to_have_value("Someone is kind.")
    frame.locator("[name=assertion]").click()
    page.keyboard.press("End")
    page.keyboard.type("!")
    frame.get_by_text("Tell the reviewers how you write").click()
    frame.get_by_label("In one line, if you like").fill("I use my own notes.")

    ada.do_task(frame, "kind")

    [(evidence, answers)] = stack.query("SELECT evidence, answers FROM studies_response")
    first = evidence["steps"]["1"]
    assert evidence["pages"] == 2
    assert evidence["note"] == "I use my own notes."
    assert first["pastes"] == [len(PASTED)]
    # By hand: sixteen and one; the answers that do_task fills in count as one change each.
    assert first["keys"] == len("Someone is kind.") + 1 + 1
    assert first["active_ms"] > 0
    stored = everything_stored(stack)
    assert answers["assertion"] in stored
    assert "marmalade" not in stored


def test_a_no_leaves_no_trace_of_how_somebody_writes(stack: Stack, ada: Person) -> None:
    frame = ada.frame()
    frame.locator("[name=assertion]").press_sequentially("Someone is shy.")
    saved(frame)
    stack.wait_for("SELECT evidence <> '{}' FROM studies_assignment")
    ada.page.keyboard.press("F1")
    frame.get_by_role("link", name="What that means, and your answer").click()
    ada.frame().get_by_role("button", name="No, do not").click()
    frame = ada.frame()
    expect(frame.locator("[name=assertion]")).to_have_value("Someone is shy.")

    ada.do_task(frame, "shy")

    assert stack.query("SELECT evidence FROM studies_assignment") == [({},)]
    assert stack.query("SELECT evidence FROM studies_response") == [(None,)]
