import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks.state_annotation.folding import (
    fold,
    is_blank,
    length,
    one_line,
    same_text,
    words,
)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_case_and_surrounding_space_do_not_matter(text: str) -> None:
    assert fold(f"  {text.casefold()}\u00a0") == fold(text)


@given(st.text())
def test_one_line_is_stable_and_has_no_line_break(text: str) -> None:
    line = one_line(text)

    assert one_line(line) == line
    assert not any(c in line for c in "\r\n\t\v\f\x85\u2028\u2029")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Tom’s hat", "Tom's hat"),
        ("“Stop”", '"Stop"'),
        ("half–open", "half-open"),
        ("a\u00a0b", "a b"),
        ("STRASSE", "straße"),
        ("ﬁne", "fine"),
        ("e\u0301t\u00e9", "\u00e9te\u0301"),
        ("zero\u200bwidth", "zerowidth"),
        ("\u202bשלום\u202c", "שלום"),
        ("a  b\t c\n", "a b c"),
    ],
)
def test_texts_that_read_alike_fold_alike(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(("left", "right"), [("happy", "unhappy"), ("a b", "ab"), ("C", "C++")])
def test_texts_that_differ_stay_different(left: str, right: str) -> None:
    assert fold(left) != fold(right)


@pytest.mark.parametrize("text", ["", " ", "\u00a0", "\u200b\u200d", "\ufeff", "\u202e", "\n\t"])
def test_what_nobody_can_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "🙂", "ש", "0"])
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ana sat.\nBo stood.", "Ana sat. Bo stood."),
        ("Ana \r\n\r\n  sat.\t", "Ana sat."),
        ("two  spaces stay", "two  spaces stay"),
        ("“curly” \u00a0 kept", "“curly” \u00a0 kept"),
        ("👩\u200d👩\u200d👧 stays", "👩\u200d👩\u200d👧 stays"),
    ],
)
def test_a_line_break_becomes_a_space_and_all_else_stays_as_typed(typed: str, kept: str) -> None:
    assert one_line(typed) == kept


def test_same_text_ignores_only_the_encoding_of_accents_and_line_breaks() -> None:
    assert same_text("Cafe\u0301\n", "Caf\u00e9")
    assert not same_text("cafe", "Cafe")
    assert not same_text("Tom’s", "Tom's")


def test_length_counts_letters_as_a_reader_does() -> None:
    assert length("  e\u0301t\u00e9 ") == 3
    assert length("🙂🙂") == 2


def test_words_keep_apostrophes_and_hyphens_inside() -> None:
    assert words("Don’t — “well-read” folk, 3 of them!") == ["don't", "well-read", "folk"] + [
        "3",
        "of",
        "them",
    ]
