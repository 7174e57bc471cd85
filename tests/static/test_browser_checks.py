"""The browser's checks of a state annotation agree with the form's, which have the last word."""

from typing import Any

import pytest
from playwright.sync_api import Page

from studies import task_types
from tests.static.site import COMPLETE, ITEM, SENTENCES

pytestmark = pytest.mark.browser
CALL = """async (values) =>
    (await import("/static/js/state_annotation/checks.js")).findErrors(values, 300)"""
# The browser's code for what the form calls (field, code).
CODES = {
    "assertion_empty": ("assertion", "empty"),
    "justification_empty": ("justification", "none_ticked"),
    "changed_empty": ("changed_assertion", "empty"),
    "changed_same": ("changed_assertion", "same"),
    "nothing_changed": ("__all__", "nothing_changed"),
}
UNCHANGED = {f"revision_{number}": text for number, text in enumerate(SENTENCES, 1)}


def found_by_browser(blank: Page, answers: dict[str, Any]) -> set[tuple[str, str]]:
    errors = blank.evaluate(
        CALL,
        {
            "assertion": answers["assertion"],
            "justification": answers["justification"],
            "changed_assertion": answers["changed_assertion"],
            "originals": SENTENCES,
            "revision": [answers[f"revision_{number}"] for number in range(1, 6)],
        },
    )
    return {CODES.get(e["code"], (e["field"], plain(e["code"]))) for e in errors}


def plain(code: str) -> str:
    return {"sentence_empty": "empty"}.get(code, code)


def found_by_form(answers: dict[str, Any]) -> set[tuple[str, str]]:
    form = task_types.get("state_annotation").form_class(answers, item=ITEM)
    errors = form.errors.as_data()
    return {(field, str(e.code)) for field, found in errors.items() for e in found}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"assertion": ""},
        {"assertion": " \t\u200b "},
        {"assertion": "x" * 300},
        {"assertion": "x" * 301},
        {"assertion": "👍" * 300},
        {"assertion": "e\u0301" * 300},
        {"assertion": "  " + "x" * 300 + "\n"},
        {"justification": []},
        {"justification": ["1", "5"]},
        {"changed_assertion": ""},
        {"changed_assertion": "the  driver IS\npatient."},
        {"changed_assertion": "x" * 301},
        {"assertion": "", "changed_assertion": ""},
        {"revision_3": ""},
        {"revision_3": "\u200b"},
        {"revision_3": "", "revision_4": "  "},
        UNCHANGED,
        {**UNCHANGED, "revision_1": f"  {SENTENCES[0]}\n"},
        {**UNCHANGED, "revision_1": SENTENCES[0].upper()},
        {**UNCHANGED, "revision_1": SENTENCES[0].rstrip(".")},
        {"assertion": "", "justification": [], "changed_assertion": "", **UNCHANGED},
    ],
)
def test_browser_and_form_find_the_same_errors(blank: Page, change: dict[str, Any]) -> None:
    answers = COMPLETE | change

    assert found_by_browser(blank, answers) == found_by_form(answers)


def test_a_message_is_filled_with_its_numbers(blank: Page) -> None:
    text = blank.evaluate(
        """async () => (await import("/static/js/state_annotation/checks.js"))
            .fillIn("This has %(count)s characters, %(limit)s are allowed.",
                    {count: 2014, limit: 300})"""
    )

    assert text == "This has 2,014 characters, 300 are allowed."
