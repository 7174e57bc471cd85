import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks.state_annotation.form import StateAnnotationForm
from annotation.tasks.state_annotation.texts import TICK_UNKNOWN
from tests.annotation.forms import ITEM, SENTENCES, errors, fields, filled


def test_a_good_answer_becomes_answers_of_the_schema() -> None:
    form = filled()

    assert form.is_valid(), form.errors
    assert form.cautions() == []
    assert form.answers() == {
        "assertion": "Selma was disappointed.",
        "justification": [2, 3],
        "changed_assertion": "Selma was relieved.",
        "revision": [*SENTENCES[:2], "She leaned back with a sigh and drank both cups herself."],
    }


NOTHING = ["", "  ", "\n", "\u00a0", "\u200b", "\u200e\u2060\ufeff"]


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("field", ["assertion", "changed_assertion", "revision_2"])
def test_an_empty_box_blocks(field: str, nothing: str) -> None:
    assert errors(filled(**{field: nothing})) == {(field, "empty")}


def test_the_message_names_the_sentence_and_lays_no_blame() -> None:
    form = filled(revision_3="")

    assert form.errors["revision_3"] == ["Sentence 3 is empty. Each box needs one sentence."]


def test_an_empty_form_names_every_step() -> None:
    form = StateAnnotationForm({}, item=ITEM)

    assert errors(form) == {
        ("assertion", "empty"),
        ("justification", "none_ticked"),
        ("changed_assertion", "empty"),
        ("revision_1", "empty"),
        ("revision_2", "empty"),
        ("revision_3", "empty"),
    }


def test_no_sentence_ticked_blocks() -> None:
    assert errors(filled(justification=[])) == {("justification", "none_ticked")}


@pytest.mark.parametrize("tick", ["0", "4", "-1", "x", "1.0", "2\u200b"])
def test_a_tick_that_is_not_a_sentence_of_the_story_blocks(tick: str) -> None:
    form = filled(justification=["1", tick])

    assert errors(form) == {("justification", "invalid_choice")}
    assert form.errors["justification"] == [str(TICK_UNKNOWN)]


def test_ticks_are_kept_once_and_in_the_order_of_the_story() -> None:
    form = filled(justification=["3", "1", "3"])

    assert form.is_valid()
    assert form.answers()["justification"] == [1, 3]


@pytest.mark.parametrize(
    "changed",
    [
        "Selma was disappointed.",
        "selma  WAS\u00a0disappointed",
        " Selma was disappointed. \n",
        "Selma was dis\u200bappointed.",
        "Ｓｅｌｍａ was disappointed．",
    ],
)
def test_the_same_assertion_twice_blocks(changed: str) -> None:
    assert errors(filled(changed_assertion=changed)) == {("changed_assertion", "same")}


def test_other_quotes_do_not_make_a_change() -> None:
    form = filled(assertion="Selma’s tea is “cold”.", changed_assertion='Selma\'s tea is "cold".')

    assert errors(form) == {("changed_assertion", "same")}


def test_two_empty_assertions_are_empty_and_not_the_same() -> None:
    assert errors(filled(assertion="", changed_assertion=" ")) == {
        ("assertion", "empty"),
        ("changed_assertion", "empty"),
    }


@pytest.mark.parametrize(
    "untouched",
    [SENTENCES[2], f"  {SENTENCES[2]}\r\n", SENTENCES[2].replace(" and", "\nand")],
)
def test_an_unchanged_story_blocks(untouched: str) -> None:
    assert errors(filled(revision_3=untouched)) == {("__all__", "nothing_changed")}


def test_a_change_of_case_or_punctuation_is_a_change() -> None:
    assert filled(revision_3=SENTENCES[2].upper()).is_valid()


def test_an_empty_sentence_alone_is_not_also_called_unchanged() -> None:
    assert errors(filled(revision_3="")) == {("revision_3", "empty")}


@pytest.mark.parametrize("letter", ["a", "é", "e\u0301", "🙂", "ש", "字"])
@pytest.mark.parametrize("field", ["assertion", "changed_assertion"])
def test_300_characters_fit_and_301_do_not(field: str, letter: str) -> None:
    assert filled(**{field: f"  {letter * 300}\n"}).is_valid()

    long = filled(**{field: letter * 301})

    assert errors(long) == {(field, "too_long")}
    assert "301 characters" in long.errors[field][0]


def test_a_pasted_book_in_a_box_is_refused() -> None:
    assert errors(filled(revision_1="a" * 1001)) == {("revision_1", "too_long")}
    assert filled(revision_1="a" * 1000).is_valid()


def test_a_long_sentence_of_the_story_may_stay() -> None:
    item = ITEM | {"sentences": ["a" * 5000, *SENTENCES[1:]]}

    assert filled(item, revision_1="a" * 5000).is_valid()


@pytest.mark.parametrize("field", ["assertion", "changed_assertion", "revision_1"])
@pytest.mark.parametrize("unsavable", ["a\0b", "\ud83d"])
def test_what_the_database_cannot_hold_is_refused_in_words(field: str, unsavable: str) -> None:
    form = filled(**{field: unsavable})

    assert errors(form) == {(field, "cannot_be_saved")}
    assert "paste it as plain text" in form.errors[field][0]


@pytest.mark.parametrize(
    "typed",
    ["Selma’s “wait”  was long…", "سلمى حزينة.", "Selma was 😔.", "E\u0301va\u00a0was sad."],
)
def test_text_is_kept_as_typed(typed: str) -> None:
    form = filled(assertion=typed)

    assert form.is_valid()
    assert form.answers()["assertion"] == typed


def test_a_pasted_line_break_becomes_a_space() -> None:
    form = filled(revision_3="She leaned back\r\n\tand drank.")

    assert form.is_valid()
    assert form.answers()["revision"][2] == "She leaned back and drank."


def test_an_unchanged_box_is_kept_exactly_as_in_the_story() -> None:
    odd = " Cafe\u0301  at\nnoon. "
    item = ITEM | {"sentences": [odd, *SENTENCES[1:]]}

    form = filled(item, revision_1="Caf\u00e9  at noon.")

    assert form.is_valid()
    assert form.answers()["revision"][0] == odd


@pytest.mark.parametrize("count", [2, 4, 6, 30])
def test_a_story_may_have_any_number_of_sentences(count: int) -> None:
    sentences = [f"It was day {n}." for n in range(count)]
    item = ITEM | {"sentences": sentences}
    boxes = {f"revision_{n}": text for n, text in enumerate(sentences, 1)}

    form = filled(item, **(boxes | {f"revision_{count}": "It was night.", "justification": ["2"]}))

    assert form.is_valid(), form.errors
    assert form.answers()["revision"] == [*sentences[:-1], "It was night."]


def test_a_new_form_has_the_story_in_its_boxes_and_nothing_ticked() -> None:
    form = StateAnnotationForm(item=ITEM)

    assert [row.revised for row in form.rows] == SENTENCES
    assert [row.ticked for row in form.rows] == [False, False, False]
    assert [row.number for row in form.rows] == ["1", "2", "3"]


@pytest.mark.parametrize("ticks", ["2", ["2"], [2]])
def test_a_draft_fills_the_form(ticks: str | list[str | int]) -> None:
    draft = {"assertion": "Selma was", "justification": ticks, "revision_1": "Selma set"}

    form = StateAnnotationForm(item=ITEM, initial=draft)

    assert form["assertion"].value() == "Selma was"
    assert [row.ticked for row in form.rows] == [False, True, False]
    assert [row.revised for row in form.rows] == ["Selma set", *SENTENCES[1:]]


def test_a_refused_form_shows_what_was_sent() -> None:
    form = filled(assertion="", justification=["3"], revision_1="Selma set out.")

    assert not form.is_valid()
    assert [row.ticked for row in form.rows] == [False, False, True]
    assert form.rows[0].revised == "Selma set out."


def test_a_single_tick_outside_a_list_is_one_tick() -> None:
    form = StateAnnotationForm(fields(justification="2"), item=ITEM)

    assert form.is_valid(), form.errors
    assert form.answers()["justification"] == [2]


def test_the_browser_gets_the_messages_and_the_limit() -> None:
    messages = StateAnnotationForm(item=ITEM).client_messages

    assert messages["limit"] == 300
    assert (
        messages["sentence_empty"] == "Sentence %(number)s is empty. Each box needs one sentence."
    )
    assert all(isinstance(value, str | int) for value in messages.values())


@given(st.dictionaries(st.sampled_from(sorted(fields())), st.text(max_size=40)))
def test_any_text_is_refused_in_words_or_answered_in_the_schema(typed: dict[str, str]) -> None:
    form = StateAnnotationForm(fields(**typed), item=ITEM)

    if not form.is_valid():
        assert all(message for messages in form.errors.values() for message in messages)
        return

    answers = form.answers()
    form.cautions()
    assert len(answers["revision"]) == 3
    assert answers["revision"] != SENTENCES
    assert answers["justification"]
    assert "\0" not in repr(answers)
