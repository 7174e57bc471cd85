"""The cautions of a state annotation."""

import pytest

from annotation.tasks.state_annotation import checks
from annotation.tasks.state_annotation.form import StateAnnotationForm
from annotation.tasks.state_annotation.task_type import StateAnnotation
from tests.annotation.forms import SENTENCES, cautions, filled
from tests.annotation.published import FILES, published_rows


@pytest.mark.parametrize(
    "assertion",
    ["The doorbell did not ring.", "the DOORBELL did not ring", "The doorbell did\u00a0not ring!"],
)
def test_repeating_a_sentence_of_the_story_asks_once(assertion: str) -> None:
    form = filled(assertion=assertion)

    assert cautions(form) == {("assertion", "repeats_story")}
    assert "sentence 2" in form.cautions()[0].message


def test_repeating_a_part_of_a_sentence_asks_too() -> None:
    assert checks.repeated_sentence("Ana is tired.", ["Ana is tired and goes home."]) == 1
    assert checks.repeated_sentence("Ana is tire", ["Ana is tired and goes home."]) is None
    assert checks.repeated_sentence("Ana", ["Ana is tired."]) is None
    assert checks.repeated_sentence("🙂 !", ["🙂 !"]) is None


def test_an_action_asks_once() -> None:
    assert cautions(filled(assertion="Selma walked to the store.")) == {
        ("assertion", "looks_like_action")
    }


@pytest.mark.parametrize(
    "sentence",
    ["She saw that Selma was relieved.", "Selma is  RELIEVED!", "“Selma was relieved,” she said."],
)
def test_stating_the_changed_assertion_outright_asks_once(sentence: str) -> None:
    assert cautions(filled(revision_3=sentence)) == {("revision_3", "stated_outright")}


def test_words_inside_other_words_are_not_stated_outright() -> None:
    assert checks.outright_sentence("Al was mad", ["Val was mad."]) is None
    assert checks.outright_sentence("Al was mad", ["Al was madly in love."]) is None
    assert checks.outright_sentence("Al was mad", ["Al was.", "Mad Al."]) is None


@pytest.mark.parametrize("box", ["She sighed. She drank both cups.", "...", "🙂"])
def test_more_or_fewer_than_one_sentence_in_a_box_asks_once(box: str) -> None:
    assert cautions(filled(revision_3=box)) == {("revision_3", "sentence_count")}


def test_the_message_says_how_many_sentences_it_counted() -> None:
    form = filled(revision_3="She sighed. She drank. She left.")

    assert form.is_valid()
    assert form.cautions()[0].message.startswith("Sentence 3 seems to hold 3 sentences.")


def test_one_sentence_with_speech_in_it_is_left_alone() -> None:
    assert cautions(filled(revision_3="Mr. Gray said 'Stop!' and left.")) == set()


def test_two_sentences_that_the_story_had_already_are_left_alone() -> None:
    original = ["Ana sat. Bo stood.", "It rained."]

    assert checks.sentence_counts(original, ["Ana sat. Bo ran.", "It rained."]) == {}
    assert checks.sentence_counts(original, ["Ana sat. Bo ran. Cy ate.", "It rained."]) == {1: 3}


def test_three_changed_sentences_are_usual_and_four_ask_once() -> None:
    sentences = [f"It was day {n}." for n in range(5)]
    item = {"story_id": "days", "title": "", "sentences": sentences}

    def changed(count: int) -> StateAnnotationForm:
        texts = ["It was night."] * count + sentences[count:]
        return filled(item, **{f"revision_{n}": text for n, text in enumerate(texts, 1)})

    assert cautions(changed(3)) == set()
    assert cautions(changed(4)) == {("revision", "many_changed")}
    assert "4 sentences" in _messages(changed(4))


def test_several_cautions_come_in_page_order() -> None:
    form = filled(
        assertion="Selma set two cups on the table.", revision_3="Selma was relieved. She drank."
    )

    assert form.is_valid()
    assert [(c.field, c.code) for c in form.cautions()] == [
        ("assertion", "repeats_story"),
        ("assertion", "looks_like_action"),
        ("revision_3", "stated_outright"),
        ("revision_3", "sentence_count"),
    ]


def test_the_summary_says_once_that_the_answer_may_stay() -> None:
    form = filled(
        assertion=SENTENCES[0], revision_1="Selma was relieved. She drank.", revision_2="..."
    )

    assert form.is_valid()
    assert len(form.cautions()) == 5
    assert form.caution_count_words(form.cautions()).count("as it is") == 1


@pytest.mark.shared_data
@pytest.mark.parametrize("name", FILES)
def test_published_annotations_pass_with_few_cautions(name: str) -> None:
    rows = published_rows(name)
    fired: dict[str, int] = {}

    for row in rows:
        form = _as_form(row)
        assert form.is_valid(), form.errors
        for code in {caution.code for caution in form.cautions()}:
            fired[code] = fired.get(code, 0) + 1

    rates = {code: count / len(rows) for code, count in fired.items()}
    assert rates.pop("looks_like_action") < 0.05
    assert rates.pop("many_changed") < 0.05
    assert all(rate < 0.02 for rate in rates.values()), rates


def _messages(form: StateAnnotationForm) -> str:
    assert form.is_valid()
    return " ".join(caution.message for caution in form.cautions())


def _as_form(row: dict[str, object]) -> StateAnnotationForm:
    read = StateAnnotation().import_row("pasta-jsonl", row)
    answers = read.answers
    boxes = {f"revision_{n}": text for n, text in enumerate(answers["revision"], 1)}
    ticks = [str(n) for n in answers["justification"]]
    data = {"justification": ticks, **boxes}
    data |= {name: answers[name] for name in ("assertion", "changed_assertion")}
    return StateAnnotationForm(data, item=read.item)
