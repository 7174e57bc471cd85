"""What a tuple becomes for each task, to the letter."""

import pytest

from modeling.instances import state_change, state_inference, story_revision
from modeling.instances.sources import StoryInTwoSplits, kept_apart
from modeling.instances.state_inference import Input, Partition
from modeling.instances.tuples import BadTuple
from tests.modeling.tuples import PUBLISHED, make_tuple, published_tuples


def test_four_questions_of_state_inference() -> None:
    found = state_inference(make_tuple())

    assert [(one.part, one.text, one.target) for one in found] == [
        (
            "story_state",
            "infer_state story: * Mira baked a cake. It smelled good. * She ate it all. "
            "state: Mira likes cake.",
            "true",
        ),
        (
            "story_mod_state",
            "infer_state story: * Mira baked a cake. It smelled good. * She ate it all. "
            "state: Mira dislikes cake.",
            "false",
        ),
        (
            "mod_story_state",
            "infer_state story: Mira baked a cake. It smelled good. * She gave it all away. "
            "state: Mira likes cake.",
            "false",
        ),
        (
            "mod_story_mod_state",
            "infer_state story: Mira baked a cake. It smelled good. * She gave it all away. "
            "state: Mira dislikes cake.",
            "true",
        ),
    ]


@pytest.mark.parametrize(
    ("input", "text"),
    [
        ("story", "Mira baked a cake. It smelled good. She ate it all."),
        ("justification", "Mira baked a cake. She ate it all."),
    ],
)
def test_the_other_inputs_of_state_inference(input: Input, text: str) -> None:
    [first, *_rest] = state_inference(make_tuple(), input=input)

    assert first.text == f"infer_state story: {text} state: Mira likes cake."


def test_a_story_without_marks_says_nothing_of_its_reasons() -> None:
    assert "marked" not in state_inference(make_tuple(), input="story")[0].fields
    assert state_inference(make_tuple())[2].fields == {
        "story": ["Mira baked a cake.", "It smelled good.", "She gave it all away."],
        "state": "Mira likes cake.",
        "marked": [3],
    }


@pytest.mark.parametrize(
    ("partition", "parts"),
    [
        ("original", ["story_state", "story_mod_state"]),
        ("revised", ["mod_story_state", "mod_story_mod_state"]),
    ],
)
def test_a_partition_asks_about_one_of_the_stories(partition: Partition, parts: list[str]) -> None:
    assert [one.part for one in state_inference(make_tuple(), partition=partition)] == parts


def test_two_revisions_name_the_changed_sentences_alone() -> None:
    there, back = story_revision(make_tuple())

    assert there.text == (
        "revise story <extra_id_1>: Mira baked a cake. <extra_id_2>: It smelled good. "
        "<extra_id_3>: She ate it all. state: Mira dislikes cake."
    )
    assert there.target == "<extra_id_3>: She gave it all away."
    assert back.text == (
        "revise story <extra_id_1>: Mira baked a cake. <extra_id_2>: It smelled good. "
        "<extra_id_3>: She gave it all away. state: Mira likes cake."
    )
    assert back.target == "<extra_id_3>: She ate it all."
    assert [one.key for one in (there, back)] == ["t1:forward", "t1:backward"]


def test_two_state_changes_have_stories_and_states_turned_round() -> None:
    there, back = state_change(make_tuple())
    story = "Mira baked a cake. It smelled good. She ate it all."
    revised = "Mira baked a cake. It smelled good. She gave it all away."

    assert there.text == f"change story1: {story} story2: {revised}"
    assert there.target == "state1: Mira likes cake. state2: Mira dislikes cake."
    assert back.text == f"change story1: {revised} story2: {story}"
    assert back.target == "state1: Mira dislikes cake. state2: Mira likes cake."


def test_what_is_right_is_in_the_target_alone() -> None:
    made = make_tuple()

    assert state_change(made)[0].fields == {"story": [*made.story], "revision": [*made.revised]}
    assert story_revision(made)[0].fields == {"story": [*made.story], "state": made.changed_state}


def test_surrounding_spaces_neither_enter_texts_nor_count_as_a_change() -> None:
    made = make_tuple(revised=(" Mira baked a cake. ", "It smelled good.", "She threw it away. "))

    assert made.changed == (3,)
    assert story_revision(made)[0].target == "<extra_id_3>: She threw it away."


@pytest.mark.parametrize(
    "given", [{"revised": ("One sentence.",)}, {"justification": (4,)}, {"justification": (0,)}]
)
def test_a_tuple_that_contradicts_itself_is_none(given: dict[str, object]) -> None:
    with pytest.raises(BadTuple, match="t1"):
        make_tuple(**given)


def test_a_story_may_not_stand_in_two_splits() -> None:
    rows = [("train", make_tuple()), ("test", make_tuple(key="t2"))]

    with pytest.raises(StoryInTwoSplits, match="s1 stands in two splits, train and test"):
        list(kept_apart(rows))


def test_a_story_may_have_several_tuples_in_a_split() -> None:
    rows = [("train", make_tuple()), ("train", make_tuple(key="t2"))]

    assert list(kept_apart(rows)) == rows


@pytest.mark.shared_data
@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_of_the_published_files(name: str) -> None:
    tuples = published_tuples(name)
    counts = [
        sum(len(build(one)) for one in tuples)
        for build in (state_inference, story_revision, state_change)
    ]

    assert counts == [4 * PUBLISHED[name], 2 * PUBLISHED[name], 2 * PUBLISHED[name]]
    assert {"te_data.jsonl": 3_668, "val_data.jsonl": 5_400}[name] == counts[0]


@pytest.mark.shared_data
def test_the_published_files_share_no_story() -> None:
    rows = [(name, one) for name in PUBLISHED for one in published_tuples(name)]

    assert len(list(kept_apart(rows))) == sum(PUBLISHED.values())
