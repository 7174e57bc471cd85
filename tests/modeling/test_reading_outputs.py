"""What is made of a model's output, orderly or not."""

import csv
from typing import Any

import pytest

from modeling.instances import story_revision
from modeling.tasks.state_change import read_states
from modeling.tasks.state_inference import read_answer
from modeling.tasks.story_revision import Revision, read_revision
from tests.modeling.tuples import PUBLISHED, published_file, published_tuples

STORY = ("Mira baked a cake.", "It smelled good.", "She ate it all.")


@pytest.mark.parametrize(
    "output",
    [
        "<extra_id_2>: It smelled burnt. <extra_id_3>: She threw it away.",
        "<extra_id_2> : It smelled burnt.<extra_id_3> : She threw it away.</s><pad><pad>",
        "<pad> <extra_id_3>:She threw it away.<extra_id_2>  It smelled burnt.",
        "< extra_id_2 >: It smelled burnt.\n<extra_id_3> :\n She threw it away.</s> and more",
    ],
)
def test_a_revision_is_read_whatever_its_spaces(output: str) -> None:
    assert read_revision(output, STORY) == Revision(
        ("Mira baked a cake.", "It smelled burnt.", "She threw it away.")
    )


def test_a_revision_that_names_nothing_changes_nothing() -> None:
    assert read_revision("", STORY) == Revision(STORY)
    assert read_revision("She left.", STORY).problems == {"before": "She left."}


def test_what_cannot_be_used_of_a_revision_is_reported() -> None:
    found = read_revision(
        "So: <extra_id_9>: Who? <extra_id_0>: He. <extra_id_2>: Twice. <extra_id_2>: Once. "
        "<extra_id_3>: ",
        STORY,
    )

    assert found.sentences == (STORY[0], "Twice.", STORY[2])
    assert found.problems == {
        "unknown": [9, 0],
        "repeated": [2],
        "blank": [3],
        "before": "So:",
    }


@pytest.mark.parametrize("digits", ["9" * 10, "9" * 4_400])
def test_a_marker_with_a_number_that_is_none_is_text(digits: str) -> None:
    marker = f"<extra_id_{digits}>"

    found = read_revision(f"{marker}: Who? <extra_id_2>: It burnt. {marker}", STORY)

    assert found.sentences == (STORY[0], f"It burnt. {marker}", STORY[2])
    assert found.problems == {"before": f"{marker}: Who?"}


@pytest.mark.parametrize(
    "output",
    [
        "state1: Mira is happy. state2: Mira is sad.",
        "State 1: Mira is happy.\nState 2: Mira is sad.",
        "<pad> STATE1 :Mira is happy. state2:  Mira is sad.</s>",
    ],
)
def test_two_states_are_read_whatever_their_spaces(output: str) -> None:
    found = read_states(output)

    assert (found.state, found.changed_state, found.problems) == (
        *("Mira is happy.", "Mira is sad."),
        {},
    )


@pytest.mark.parametrize("output", ["", "Mira is happy.", "state2: Mira is sad. state1: Happy."])
def test_an_output_without_two_states_in_order_has_none(output: str) -> None:
    found = read_states(output)

    assert (found.state, found.changed_state) == ("", "")
    assert found.problems["unreadable"] is True
    assert found.before == output


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("true", "true"),
        (" False.</s>", "false"),
        ("<pad>TRUE", "true"),
        ("truely", None),
        ("It is true", None),
        ("", None),
    ],
)
def test_an_answer_is_the_first_word(output: str, answer: str | None) -> None:
    assert read_answer(output) == answer


@pytest.mark.shared_data
def test_targets_of_the_published_files_read_back_as_the_revised_stories() -> None:
    read = 0
    for name in PUBLISHED:
        for one in published_tuples(name):
            for instance, side in zip(story_revision(one), (one, one.turned), strict=True):
                found = read_revision(instance.target, side.story)
                assert found == Revision(tuple(s.strip() for s in side.revised)), instance.key
                read += 1

    assert read == 4_534


def rows_of(name: str) -> list[dict[str, Any]]:
    with published_file(f"mturk/{name}").open(encoding="utf-8", newline="") as source:
        return list({row["HITId"]: row for row in csv.DictReader(source)}.values())


@pytest.mark.shared_data
@pytest.mark.parametrize(
    "size", ["base_b_12_lr_0.0001_w_1e-06_s_0_epoch_6", "large_b_4_lr_0.0001_w_1e-06_s_0_epoch_4"]
)
def test_published_outputs_read_back_as_raters_saw_them(size: str) -> None:
    rows = rows_of(f"MturkOP_Te_full_t_6_m_t5-{size}.csv")
    for row in rows:
        story = [row[f"Input.Input_line{n}"] for n in range(1, 6)]
        found = read_revision(row["Input.gen_op"], story)
        shown = [row[f"Input.mod_line{n}"].strip() for n in range(1, 6)]
        assert ([*found.sentences], found.problems) == (shown, {})

    assert len(rows) == 200


@pytest.mark.shared_data
def test_published_states_read_back_as_raters_saw_them() -> None:
    """But for eight, where other text stood before the states: raters saw that, too."""
    rows = rows_of("MturkOP_Te_200_t7_GPT3_app_1_exs_5.csv")
    other = 0
    for row in rows:
        found = read_states(row["Input.State_change_gpt3_2"])
        text = found.state if row["Input.state_type"] == "state" else found.changed_state
        if text != row["Input.query_state"].strip():
            assert found.problems, row["HITId"]
            other += 1

    assert (len(rows), other) == (400, 8)
