"""static/js/task/worddiff.js: what a worker sees under each box."""

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser
CALL = """async ([before, after]) =>
    (await import("/static/js/task/worddiff.js")).wordDiff(before, after)"""


def difference(blank: Page, before: str, after: str) -> list[tuple[str, str]]:
    parts: list[dict[str, Any]] = blank.evaluate(CALL, [before, after])
    return [(part["kind"], part["text"]) for part in parts]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("He waited.", "He waited.", [("same", "He waited.")]),
        (
            "The driver waited.",
            "The driver left at once.",
            [
                ("same", "The driver "),
                ("delete", "waited"),
                ("insert", "left at once"),
                ("same", "."),
            ],
        ),
        (
            "She dropped every coin she had.",
            "She kept every coin she had.",
            [
                ("same", "She "),
                ("delete", "dropped"),
                ("insert", "kept"),
                ("same", " every coin she had."),
            ],
        ),
        ("", "New.", [("insert", "New.")]),
        ("Old.", "", [("delete", "Old.")]),
        ("", "", []),
    ],
)
def test_unchanged_words_stay_and_changed_ones_are_marked(
    blank: Page, before: str, after: str, expected: list[tuple[str, str]]
) -> None:
    assert difference(blank, before, after) == expected


def test_a_rewritten_phrase_is_one_deletion_and_one_insertion(blank: Page) -> None:
    parts = difference(
        blank,
        "A passenger quietly paid the rest of her fare.",
        "A passenger looked back at her and shrugged.",
    )

    assert [kind for kind, _ in parts] == ["same", "delete", "insert", "same"]


def test_words_with_apostrophes_and_hyphens_change_as_a_whole(blank: Page) -> None:
    parts = difference(blank, "He can't stay.", "He can stay, well-rested.")

    assert ("delete", "can't") in parts
    assert ("insert", "can") in parts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The driver saw her and waited.", "A driver saw them, and did not wait!"),
        ("ركضت نورا نحو الموقف.", "مشت نورا ببطء نحو البيت."),
        ("彼女は駅まで走った。", "彼女は駅まで歩いて帰った。"),
        ("a b c d e f", "f e d c b a"),
        ("Spaces  and\u00a0kinds of\u2009space", "Spaces and kinds  of space"),
        ("Family 👨‍👩‍👧 smiled", "Family 👨‍👩‍👦 cried"),
    ],
)
def test_both_texts_can_be_read_back_from_the_parts(blank: Page, before: str, after: str) -> None:
    parts = difference(blank, before, after)

    assert "".join(text for kind, text in parts if kind != "insert") == before
    assert "".join(text for kind, text in parts if kind != "delete") == after


def test_a_very_long_text_is_compared_in_time(blank: Page) -> None:
    before = " ".join(f"a{n}" for n in range(5000))
    after = " ".join(f"b{n}" for n in range(5000))

    parts = difference(blank, before, after)

    assert [kind for kind, _ in parts] == ["delete", "insert"]
