"""The marks of the review page are those that the worker saw under each box."""

from collections.abc import Iterator

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, sync_playwright

from annotation.word_difference import word_difference
from tests.browser import launch
from tests.static.site import Site

CALL = """async ([pairs]) => {
    const {wordDiff} = await import("/static/js/task/worddiff.js");
    return pairs.map(([before, after]) => wordDiff(before, after));
}"""
PAIRS = [
    ("He waited.", "He waited."),
    ("The driver waited.", "The driver left at once."),
    ("She dropped every coin she had.", "She kept every coin she had."),
    ("", "New."),
    ("Old.", ""),
    ("", ""),
    (
        "A passenger quietly paid the rest of her fare.",
        "A passenger looked back at her and shrugged.",
    ),
    ("He can't stay.", "He can stay, well-rested."),
    ("The driver saw her and waited.", "A driver saw them, and did not wait!"),
    ("ركضت نورا نحو الموقف.", "مشت نورا ببطء نحو البيت."),
    ("彼女は駅まで走った。", "彼女は駅まで歩いて帰った。"),
    ("a b c d e f", "f e d c b a"),
    ("Spaces  and\u00a0kinds of\u2009space", "Spaces and kinds  of space"),
    ("Family 👨‍👩‍👧 smiled", "Family 👨‍👩‍👦 cried"),
    ("He paid 12.50 at ten o’clock", "He paid 9.50 at two o’clock"),
]
words = st.lists(
    st.sampled_from(["a", "her", "waved", " ", " ", ".", "’", "駅", "👧"]), max_size=14
)
texts = words.map("".join)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    with Site(page="<!doctype html><title>Empty</title>") as site:
        page = chromium.new_page()
        page.goto(site.address)
        yield page
        page.close()


def marks(before: str, after: str) -> list[dict[str, str]]:
    found = []
    for part in word_difference(before, after):
        kinds = [("same", part.old)] if part.same else [("delete", part.old), ("insert", part.new)]
        found += [{"kind": kind, "text": text} for kind, text in kinds if text]
    return found


@pytest.mark.browser
def test_server_and_browser_mark_the_same(page: Page) -> None:
    assert page.evaluate(CALL, [PAIRS]) == [marks(*pair) for pair in PAIRS]


@given(texts, texts)
def test_both_texts_can_be_read_back(before: str, after: str) -> None:
    parts = word_difference(before, after)

    assert "".join(part.old for part in parts) == before
    assert "".join(part.new for part in parts) == after
    assert all(part.old == part.new for part in parts if part.same)


def test_a_very_long_text_is_compared_in_time() -> None:
    before, after = (" ".join(f"{letter}{n}" for n in range(5000)) for letter in "ab")

    assert [part.same for part in word_difference(before, after)] == [False]


def test_what_somebody_wrote_is_shown_as_text() -> None:
    template = Template("{% load review %}{% difference a b as d %}{{ d.before }}|{{ d.after }}")

    html = template.render(Context({"a": "<b>old</b>", "b": "<b>new</b>"}))

    assert html == "&lt;b&gt;<del>old</del>&lt;/b&gt;|&lt;b&gt;<ins>new</ins>&lt;/b&gt;"
