"""What an instrument may ask, and what is refused with its name."""

import json
from dataclasses import replace
from typing import Any

import pytest

from evaluation.instruments.as_data import declaration_from, to_data
from evaluation.instruments.builtin import BUILT_IN
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import (
    BadInstrument,
    Condition,
    Example,
    Kind,
    Level,
    Option,
    Question,
)

HOW_CLEAR = Question(
    "clear",
    "How clear is it?",
    Kind.LIKERT,
    (Option(1, "Not at all"), Option(2, "Somewhat"), Option(3, "Very")),
    Level.ORDINAL,
    threshold=2,
)
WHY = Question("why", "Why?", Kind.TEXT, condition=Condition("clear", (1,)))


def declared(*questions: Question, **more: Any) -> Declaration:
    return Declaration(
        **{"slug": "clarity", "title": "Clarity", "about": ""} | more, questions=questions
    )


def test_the_instruments_of_the_house_have_their_names_and_scales() -> None:
    known = {one.slug: one for one in BUILT_IN}

    assert {"state-inference", "story-revision", "state-change"} <= set(known)
    assert {"timetravel-likert", "pairwise"} <= set(known)
    inferable = known["state-inference"].questions[0]
    assert [one.label for one in inferable.options] == [
        *("Extremely unlikely", "Unlikely", "Cannot say", "Likely", "Extremely likely")
    ]
    assert inferable.codes == (0, 1, 2, 3, 4) and inferable.threshold == 3
    assert [q.slug for q in known["story-revision"].questions] == ["inferable", "logical", "degree"]
    assert len(known["story-revision"].question("degree").codes) == 4
    assert len(known["story-revision-five"].question("degree").codes) == 5
    assert [q.slug for q in known["state-change"].questions] == [
        *("attribute", "inferable_s", "inferable_s_prime", "in_story")
    ]
    assert all(len(q.codes) == 3 for q in known["timetravel-likert"].questions)
    assert all(q.kind is Kind.PAIRWISE for q in known["pairwise"].questions)


@pytest.mark.parametrize("one", [*BUILT_IN, declared(HOW_CLEAR, WHY)], ids=lambda one: one.slug)
def test_a_declaration_comes_back_from_json_as_it_was(one: Declaration) -> None:
    assert declaration_from(json.loads(json.dumps(to_data(one)))) == one


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (replace(HOW_CLEAR, text=" "), "no text"),
        (replace(HOW_CLEAR, slug="How clear"), "is no name"),
        (replace(HOW_CLEAR, threshold=7), "threshold is not on its scale"),
        (replace(HOW_CLEAR, level=Level.NOMINAL), "have numbers as codes and an order"),
        (replace(HOW_CLEAR, options=HOW_CLEAR.options[:1], threshold=None), "two options"),
        (replace(HOW_CLEAR, options=HOW_CLEAR.options[::-1]), "rise from the first"),
        (replace(HOW_CLEAR, options=(*HOW_CLEAR.options, Option(2, "Again"))), "the same code"),
        (replace(HOW_CLEAR, options=(*HOW_CLEAR.options, Option(4, ""))), "needs its words"),
        (
            replace(HOW_CLEAR, options=(Option("", "A"), Option("b", "B")), threshold=None),
            "needs its code",
        ),
        (replace(HOW_CLEAR, options=(*HOW_CLEAR.options, Option("x", "X"))), "not both"),
        (replace(HOW_CLEAR, examples=(Example("A glass.", 9, ""),)), "not on its scale"),
        (replace(HOW_CLEAR, kind=Kind.YES_NO), "yes has the code 1"),
        (replace(HOW_CLEAR, kind=Kind.PAIRWISE), "equally_good"),
        (replace(HOW_CLEAR, kind=Kind.TEXT, threshold=None), "free text has no options"),
        (
            replace(HOW_CLEAR, kind=Kind.CHOICE, level=Level.NOMINAL),
            "threshold needs a scale with an order",
        ),
        (replace(HOW_CLEAR, condition=Condition("later", (1,))), "no earlier question"),
        (replace(HOW_CLEAR, options_from="choices"), "how many"),
        (replace(HOW_CLEAR, options_from="choices", brought=1), "does not have"),
        (replace(HOW_CLEAR, options_from="choices", brought=10**13), "100 options at most"),
        (replace(HOW_CLEAR, options_from="choices", brought=98), "100 options at most"),
        (replace(HOW_CLEAR, options=(*HOW_CLEAR.options, Option(101, "A"))), "from -100 to 100"),
        (replace(HOW_CLEAR, options=(Option(-(10**400), "A"), Option(2, "B"))), "from -100 to 100"),
        (
            replace(HOW_CLEAR, level=Level.RATIO, options=(Option(-1, "A"), *HOW_CLEAR.options)),
            "begins there or above",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_question_that_contradicts_itself_is_refused(question: Question, says: str) -> None:
    with pytest.raises(BadInstrument, match=says):
        declared(question)


def test_a_condition_names_codes_of_an_earlier_question() -> None:
    with pytest.raises(BadInstrument, match="a code that the earlier question lacks"):
        declared(HOW_CLEAR, replace(WHY, condition=Condition("clear", (9,))))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"slug": "Clarity!"}, "short name"),
        ({"title": ""}, "needs a title"),
        ({"questions": ()}, "needs a question"),
        ({"questions": (HOW_CLEAR, HOW_CLEAR)}, "two of the name"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_instrument_needs_names_and_questions(more: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInstrument, match=says):
        replace(declared(HOW_CLEAR), **more)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"colour": "red"}, "^“colour” is unknown"),
        ({"questions": "none"}, "questions has to be a list"),
        ({"questions": [{"slug": "a"}]}, r"questions\[0\]: “text” is missing"),
        ({"questions": [{"slug": "a", "text": 3, "kind": "text"}]}, r"questions\[0\]\.text"),
        ({"questions": [{"slug": "a", "text": "A?", "kind": "song"}]}, "one of yes_no, choice"),
        ({"title": None}, "title has to be a text"),
    ],
)
def test_data_of_another_shape_name_the_place(change: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInstrument, match=says):
        declaration_from(to_data(declared(HOW_CLEAR)) | change)


def test_data_that_are_no_object_are_refused() -> None:
    with pytest.raises(BadInstrument, match="^The declaration has to be an object"):
        declaration_from([1])
    with pytest.raises(BadInstrument, match="^“title” is missing"):
        declaration_from({"slug": "clarity"})
