import pytest

from annotation.tasks.state_annotation.sentence_count import count_sentences


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Gray said 'Stop!' and left.",
        "Mr. Gray said ‘Stop!’ and left.",
        "J. K. Marsh won the prize.",
        "It cost 3.5 dollars.",
        "Well... she left.",
        "Well... She left.",
        "Wait… What was that noise?",
        '"Stop!" Mr. Gray said.',
        "“Stop!” shouted Mr. Gray.",
        "She said “Stop.” and left.",
        "She yelled “Stop! Thief! Help me!” until her voice broke.",
        "'Don't stop!' he said.",
        "No way! she said.",
        "Mrs. O'Neil and Dr. Vu met at St. Mary's at 9 a.m. on Jan. 5.",
        "The U.S. team won 3.5 to 2.",
        "The dogs' bowl was as big as the cats'.",
        "He ran home; it rained.",
        "Running late",
        "Is that you?!",
        "She read «Go home.» on the sign and went.",
        "שלום לכולם.",
    ],
)
def test_one_sentence_is_counted_as_one(text: str) -> None:
    assert count_sentences(text) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("He stopped. She went on.", 2),
        ("A passenger looked back at her. He shrugged.", 2),
        ('She said "Stop." Then she left.', 2),
        ("“Stop!” Everyone froze.", 2),
        ("“Go.” “No.”", 2),
        ("He looked at Dr. Osei. Then he ran.", 2),
        ("The dogs' bowl was empty. The cats' bowl was not.", 2),
        ("He ran! And then? Silence.", 3),
    ],
)
def test_more_sentences_are_counted(text: str, count: int) -> None:
    assert count_sentences(text) == count


@pytest.mark.parametrize("text", ["", "...", "🙂", "—", '"!"'])
def test_no_letter_or_digit_is_no_sentence(text: str) -> None:
    assert count_sentences(text) == 0


def test_many_stray_quotes_are_counted_quickly() -> None:
    assert count_sentences("Ana sat. " + "' \"x" * 20_000 + ".") >= 1
