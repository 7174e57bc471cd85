"""What a rater answered, checked and read; and what the page shows of an item."""

from typing import Any

import pytest

from evaluation.instruments.pasta import STATE_CHANGE, STATE_INFERENCE, STORY_REVISION
from evaluation.instruments.timetravel import PAIRWISE
from evaluation.rating.blocks import Block, blocks_of
from evaluation.rating.form import RatingForm
from tests.evaluation.rating_pages import ANSWERS, form_of, page_of

COMPLETE = {"sound_1": "1", "best_1": "2", "clear_1": "3"}
STORIES = {
    "story": ["Omar sat at his desk.", "He yawned."],
    "revision": ["Omar sat at his desk.", "He hummed."],
    "state": "Omar is tired.",
}


def answers_of(form: RatingForm) -> list[dict[str, Any]]:
    assert form.is_valid(), form.errors
    items: list[dict[str, Any]] = form.answers()["items"]
    return items


def test_answers_are_the_codes_of_what_was_asked() -> None:
    assert answers_of(form_of(COMPLETE)) == [
        {"key": "k1", "answers": {"sound": 1, "best": 2, "clear": 3}}
    ]


def test_each_item_has_answers_of_its_own() -> None:
    other = {"sound_2": "0", "why_2": " No\nverb. ", "best_2": "3"}

    assert answers_of(form_of(COMPLETE | other, items=2))[1] == {
        "key": "k2",
        "answers": {"sound": 0, "why": "No verb.", "best": 3},
    }


def test_what_was_not_asked_is_neither_wanted_nor_kept_nor_an_error() -> None:
    sent = COMPLETE | {"best_1": "3", "why_1": "x" * 5000, "clear_1": "nothing"}

    assert answers_of(form_of(sent)) == [{"key": "k1", "answers": {"sound": 1, "best": 3}}]


def test_nothing_follows_from_a_question_that_was_not_asked_itself() -> None:
    first, second, *rest = STATE_CHANGE.questions
    chain = {"question": second.slug, "codes": [0]}
    data = form_of(declared=STATE_CHANGE, fields=STORIES).item
    data["instrument"]["questions"][1]["condition"] = {"question": first.slug, "codes": [1]}
    data["instrument"]["questions"][2]["condition"] = chain
    sent = {f"{one.slug}_1": "0" for one in (first, second, *rest)}

    assert answers_of(RatingForm(sent, item=data))[0]["answers"] == {
        first.slug: 0,
        rest[1].slug: 0,
    }


@pytest.mark.parametrize(
    ("sent", "field", "says"),
    [
        ({"sound_1": ""}, "sound_1", "Question 1: choose an answer."),
        ({"sound_1": "0"}, "why_1", "Question 2: write an answer."),
        ({"sound_1": "0", "why_1": " \u200b"}, "why_1", "Question 2: write an answer."),
        ({"sound_1": "0", "why_1": "\0"}, "why_1", "This text holds an invisible character"),
        ({"sound_1": "0", "why_1": "x" * 2001}, "why_1", "This has 2001 characters."),
        ({"best_1": "4"}, "best_1", "Choose one of the answers."),
    ],
)
def test_an_answer_that_is_none_is_named(sent: dict[str, str], field: str, says: str) -> None:
    form = form_of(COMPLETE | sent)

    assert list(form.errors) == [field]
    assert str(form.errors[field][0]).startswith(says)


def test_of_several_texts_the_error_names_which() -> None:
    form = form_of(COMPLETE, items=2)

    assert form.errors["best_2"] == ["Text 2, question 2: choose an answer."]


def test_questions_are_numbered_as_the_rater_sees_them() -> None:
    def numbers(form: RatingForm) -> list[int | None]:
        return [asked.number for asked in form.sheets[0].questions]

    assert numbers(form_of({"sound_1": "1", "best_1": "0"})) == [1, None, 2, 3]
    assert numbers(form_of({"sound_1": "0", "best_1": "3"})) == [1, 2, 3, None]
    form = form_of({"sound_1": "1"})
    assert form.errors["best_1"] == ["Question 2: choose an answer."]


def test_a_draft_is_shown_as_it_was_left() -> None:
    form = form_of(initial={"sound_1": "0", "why_1": "No verb.", "best_1": "1"})
    asked = {one.question.slug: one for one in form.sheets[0].questions}

    assert [point.is_chosen for point in asked["sound"].points] == [False, True]
    assert (asked["why"].written, asked["why"].is_asked) == ("No verb.", True)
    assert asked["clear"].is_asked


def test_keys_are_digits_and_for_yes_and_no_their_letters() -> None:
    sound, _why, best, _clear = form_of().sheets[0].questions

    assert [point.keys for point in sound.points] == [("Y", "1"), ("N", "2")]
    assert [(point.keys, point.label) for point in best.points] == [
        (("1",), ANSWERS[0]),
        (("2",), ANSWERS[1]),
        (("3",), ANSWERS[2]),
        (("4",), "None of them"),
    ]


# --- What is judged -------------------------------------------------------------------------------
def marks(block: Block) -> list[tuple[str, str]]:
    return [piece for line in block.lines for piece in line.pieces if piece[0]]


def test_story_and_revision_mark_the_words_in_which_they_differ() -> None:
    state, story, revision = blocks_of(STORY_REVISION, STORIES)

    assert state.lines[0].pieces == [("", "Omar is tired.")]
    assert marks(story) == [("del", "yawned")]
    assert marks(revision) == [("ins", "hummed")]


def test_a_revision_may_have_more_sentences_or_fewer() -> None:
    longer = STORIES | {"revision": [*STORIES["revision"], "He left."]}
    _state, story, revision = blocks_of(STORY_REVISION, longer)
    assert (len(story.lines), marks(revision)[-1]) == (2, ("ins", "He left."))

    shorter = STORIES | {"revision": STORIES["revision"][:1]}
    _state, story, revision = blocks_of(STORY_REVISION, shorter)
    assert (len(revision.lines), marks(story)[-1]) == (1, ("del", "He yawned."))


def test_sentences_are_marked_as_the_item_says_and_the_numbers_are_not_shown() -> None:
    fields = {"story": STORIES["story"], "state": STORIES["state"], "marked": [2]}

    _state, story = blocks_of(STATE_INFERENCE, fields)

    assert [line.is_marked for line in story.lines] == [False, True]


def test_options_that_an_item_brings_are_shown_as_answers_alone() -> None:
    page = page_of(form_of())

    assert page.count(ANSWERS[0]) == 1


def test_the_outputs_of_a_pair_stand_side_by_side_under_the_names_that_the_answers_have() -> None:
    fields = {"premise": "P.", "counterfactual": "C.", "first": "One.", "second": "Other."}

    *_shared, first, second = blocks_of(PAIRWISE, fields)

    assert [(block.label, block.width) for block in (first, second)] == [
        ("Ending A", "beside"),
        ("Ending B", "beside"),
    ]
    assert first.is_first_side and not second.is_first_side


def test_what_somebody_wrote_is_shown_as_text() -> None:
    nasty = {"story": ["<u>1"], "revision": ["<u>2"], "state": "<u>3"}

    page = page_of(form_of(declared=STORY_REVISION, fields=nasty))

    assert "<u>" not in page
    assert page.count("&lt;u&gt;") == 3
