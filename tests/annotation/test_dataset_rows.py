import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks.state_annotation.layout import PUBLISHED_FIELDS
from annotation.tasks.state_annotation.task_type import StateAnnotation
from studies.task_types import RowError
from tests.annotation.published import FILES, published_rows

STATE_ANNOTATION = StateAnnotation()

any_text = st.text(st.characters(codec="utf-8"), max_size=30)


@st.composite
def responses(draw: st.DrawFn, least: int = 2, most: int = 8) -> dict[str, Any]:
    count = draw(st.integers(least, most))
    texts = st.lists(any_text, min_size=count, max_size=count)
    return {
        "label": draw(any_text),
        "item": {"story_id": draw(any_text), "title": draw(any_text), "sentences": draw(texts)},
        "answers": {
            "assertion": draw(any_text),
            "justification": sorted(draw(st.sets(st.integers(1, count)))),
            "changed_assertion": draw(any_text),
            "revision": draw(texts),
        },
    }


def published_row() -> dict[str, Any]:
    numbers = range(1, 6)
    return {
        "AssignmentId": "A1",
        "Input.Title": "Two cups",
        "Input.storyid": "tea",
        **{f"Input.line{n}": f"It was day {n}." for n in numbers},
        "Answer.assertion": "It is  long.",
        **{f"Answer.line{n}.on": n == 2 for n in numbers},
        "Answer.mod_assertion": " It is short.",
        **{f"Answer.mod_line{n}": f"It was night {n}. " for n in numbers},
    }


def test_a_published_row_is_read_to_the_byte() -> None:
    read = STATE_ANNOTATION.import_row("pasta-jsonl", published_row())

    assert read.label == "A1"
    assert read.item["sentences"][0] == "It was day 1."
    assert read.answers["assertion"] == "It is  long."
    assert read.answers["justification"] == [2]
    assert read.answers["changed_assertion"] == " It is short."
    assert read.answers["revision"][4] == "It was night 5. "


@given(responses(least=5, most=5))
def test_the_published_layout_keeps_everything_in_its_order(response: dict[str, Any]) -> None:
    row = STATE_ANNOTATION.export_row("pasta-jsonl", **response)

    read = STATE_ANNOTATION.import_row("pasta-jsonl", json.loads(json.dumps(row)))

    assert tuple(row) == PUBLISHED_FIELDS
    assert read.label == response["label"]
    assert read.item == response["item"]
    assert read.answers == response["answers"]


@given(responses())
def test_our_own_layout_keeps_a_story_of_any_length(response: dict[str, Any]) -> None:
    row = STATE_ANNOTATION.export_row("jsonl", **response)

    read = STATE_ANNOTATION.import_row("jsonl", json.loads(json.dumps(row)))

    assert (read.item, read.answers) == (response["item"], response["answers"])


@given(responses(), responses())
def test_a_table_keeps_stories_of_different_lengths(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    rows = [STATE_ANNOTATION.export_row("csv", **response) for response in (first, second)]
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, fieldnames=list(dict.fromkeys([*rows[0], *rows[1]])), restval="")
    writer.writeheader()
    writer.writerows(rows)
    file.seek(0)

    read = [STATE_ANNOTATION.import_row("csv", row) for row in csv.DictReader(file)]

    assert [(r.item, r.answers) for r in read] == [
        (response["item"], response["answers"]) for response in (first, second)
    ]


@pytest.mark.shared_data
@pytest.mark.parametrize("name", FILES)
def test_a_published_file_round_trips_exactly(name: str) -> None:
    for row in published_rows(name):
        read = STATE_ANNOTATION.import_row("pasta-jsonl", row)

        written = STATE_ANNOTATION.export_row(
            "pasta-jsonl", label=read.label, item=read.item, answers=read.answers
        )

        assert list(written.items()) == list(row.items())


@pytest.mark.parametrize("count", [4, 6])
def test_a_story_that_does_not_fit_the_published_layout_is_named(count: int) -> None:
    item = {"story_id": "tea", "title": "", "sentences": ["It rained."] * count}
    answers = {
        "assertion": "a",
        "justification": [1],
        "changed_assertion": "b",
        "revision": ["It snowed."] * count,
    }

    with pytest.raises(RowError, match=f"Story tea has {count}"):
        STATE_ANNOTATION.export_row("pasta-jsonl", label="A1", item=item, answers=answers)


@pytest.mark.parametrize("field", PUBLISHED_FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    row = published_row()
    del row[field]

    with pytest.raises(RowError) as refused:
        STATE_ANNOTATION.import_row("pasta-jsonl", row)

    assert refused.value.field == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Answer.line1.on", "true"),
        ("Answer.line1.on", 1),
        ("Answer.line1.on", None),
        ("Answer.assertion", None),
        ("Input.storyid", 7),
        ("Input.line3", True),
        ("WorkerId", "A1"),
    ],
)
def test_a_wrong_or_surplus_value_is_named(field: str, value: object) -> None:
    with pytest.raises(RowError) as refused:
        STATE_ANNOTATION.import_row("pasta-jsonl", published_row() | {field: value})

    assert refused.value.field == field


def own_row(**changes: object) -> dict[str, Any]:
    row: dict[str, Any] = {
        "assignment_id": "A1",
        "story_id": "tea",
        "title": "",
        "sentences": ["It rained.", "Ana sang."],
        "assertion": "a",
        "justification": [1],
        "changed_assertion": "b",
        "revision": ["It snowed.", "Ana sang."],
    }
    return row | changes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("justification", [3]),
        ("justification", [0]),
        ("justification", [True]),
        ("justification", "1"),
        ("sentences", ["It rained.", None]),
        ("revision", ["It snowed."]),
        ("assertion", 1),
        ("note", ""),
    ],
)
def test_a_wrong_value_in_our_own_layout_is_named(field: str, value: object) -> None:
    with pytest.raises(RowError) as refused:
        STATE_ANNOTATION.import_row("jsonl", own_row(**{field: value}))

    assert refused.value.field == field


def table_row(**changes: str) -> dict[str, str]:
    row = {
        "assignment_id": "A1",
        "story_id": "tea",
        "title": "",
        "line1": "It rained.",
        "line2": "Ana sang.",
        "line3": "",
        "assertion": "a",
        "line1_justifies": "true",
        "line2_justifies": "FALSE",
        "line3_justifies": "",
        "changed_assertion": "b",
        "revised_line1": "It snowed.",
        "revised_line2": "Ana sang.",
        "revised_line3": "",
    }
    return row | changes


def test_empty_columns_for_longer_stories_are_passed_over() -> None:
    read = STATE_ANNOTATION.import_row("csv", table_row())

    assert read.item["sentences"] == ["It rained.", "Ana sang."]
    assert read.answers["justification"] == [1]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("line3", "lost?"),
        ("revised_line3", "lost?"),
        ("line1_justifies", "yes"),
        ("line2_justifies", ""),
        ("note", "lost?"),
    ],
)
def test_nothing_in_a_table_is_dropped_in_silence(field: str, value: str) -> None:
    with pytest.raises(RowError):
        STATE_ANNOTATION.import_row("csv", table_row(**{field: value}))


def test_a_table_without_a_needed_column_names_it() -> None:
    row = table_row()
    del row["revised_line2"]

    with pytest.raises(RowError) as refused:
        STATE_ANNOTATION.import_row("csv", row)

    assert refused.value.field == "revised_line2"
