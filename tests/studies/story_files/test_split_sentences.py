import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.story_files.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Ann ran. Bob fell.", ["Ann ran.", "Bob fell."]),
        ("It was for me. I smiled.", ["It was for me.", "I smiled."]),
        ("Mr. Gray said 'Stop!' and left.", ["Mr. Gray said 'Stop!' and left."]),
        ("Dr. J. Smith of the U.S. Army came.", ["Dr. J. Smith of the U.S. Army came."]),
        ('She said "No." Then she left.', ['She said "No."', "Then she left."]),
        ("He said no. Ann left.", ["He said no.", "Ann left."]),
        ("He was no. 5 in line.", ["He was no. 5 in line."]),
        ("She got an A. Ann was glad.", ["She got an A.", "Ann was glad."]),
        ("It cost $5.50 each. 20 came.", ["It cost $5.50 each.", "20 came."]),
        ("  Ann ran.  Bob fell. \n", ["Ann ran.", "Bob fell."]),
        ("no stop here", ["no stop here"]),
        ("", []),
        (" \n", []),
    ],
)
def test_sentences_end_where_the_rule_says(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(st.sampled_from("aB1 .?!\"'”(\n…é"), max_size=60))
def test_only_the_space_between_sentences_is_lost(text: str) -> None:
    kept = "".join("".join(split_sentences(text)).split())

    assert kept == "".join(text.split())


@pytest.mark.parametrize("text", ["a" * 131_072, "." * 131_072, '."' * 60_000, "Mr. A " * 20_000])
def test_a_text_made_to_be_slow_is_not(text: str) -> None:
    start = time.perf_counter()

    split_sentences(text)

    assert time.perf_counter() - start < 5
