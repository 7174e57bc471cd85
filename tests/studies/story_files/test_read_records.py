import json
from typing import Any

import pytest

from tests.studies.story_files.reading import problems, read

PASTA: dict[str, Any] = {
    "AssignmentId": "A1",
    "Input.Title": "A walk",
    "Input.storyid": "0017",
    **{f"Input.line{n}": f"Sentence {n}." for n in range(1, 6)},
    "Answer.assertion": "Ann is wet.",
}
TRAVEL: dict[str, Any] = {
    "story_id": "t1",
    "premise": "Ann went out.",
    "initial": "It rained.",
    "counterfactual": "It was dry.",
    "original_ending": "She ran. She fell. She laughed.",
}
POSSIBLE: dict[str, Any] = {
    "roc_passage_id": "p1",
    "story": "Ann went out. It rained. She ran. She fell.",
    "original_ending": "She laughed.",
    "endings": [],
}


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_annotations_of_one_story_become_one_story() -> None:
    other = PASTA | {"AssignmentId": "A2", "Answer.assertion": "Ann is young."}

    stories, report = read(lines(PASTA, other))

    assert len(stories) == 1
    assert stories[0].external_id == "0017"
    assert stories[0].sentences == tuple(f"Sentence {n}." for n in range(1, 6))
    assert report.format == "pasta-jsonl"
    assert report.repeated_rows == 1
    assert report.unused_fields == ("AssignmentId", "Answer.assertion")


def test_the_endings_role_stands_outside_the_four_sentences() -> None:
    stories, report = read(lines(POSSIBLE))

    assert stories[0].sentences[-2:] == ("She fell.", "She laughed.")
    assert stories[0].roles == ("sentence",) * 4 + ("ending",)
    assert report.lengths == {4: 1}
    assert not report.notices
    assert report.unused_fields == ("endings",)


def test_roles_of_premise_initial_and_ending_are_kept() -> None:
    stories, report = read(lines(TRAVEL))

    assert stories[0].roles == ("premise", "initial", "ending", "ending", "ending")
    assert stories[0].sentences[2] == "She ran."
    assert report.unused_fields == ("counterfactual",)


def test_an_unusual_count_comes_in_as_split_and_is_listed() -> None:
    stories, report = read(lines(TRAVEL | {"original_ending": "She ran she fell. She laughed."}))

    assert len(stories[0].sentences) == 4
    assert [str(notice) for notice in report.notices] == [
        "Row 1, story t1: 4 sentences where 5 are usual."
    ]


def test_bad_json_is_named_by_row_and_column_and_reading_goes_on() -> None:
    content = lines(TRAVEL) + '{"story_id": "2", premise: 1}\n' + lines(TRAVEL | {"initial": ""})

    assert problems(content) == [
        "Row 2, column 19: This is not JSON from here on: Expecting property name enclosed in"
        " double quotes.",
        "Row 3, column initial: This sentence is empty.",
    ]


@pytest.mark.parametrize(
    ("line", "kind"), [("[1]", "a list"), ("3", "a number"), ('"x"', "text"), ("null", "null")]
)
def test_a_line_that_is_no_object_is_named(line: str, kind: str) -> None:
    (problem,) = problems(lines(TRAVEL) + line + "\n")

    assert problem == f"Row 2: This line is {kind}; one object in {{ }} is expected on each line."


@pytest.mark.parametrize(
    ("value", "kind"), [(5, "a number"), (None, "null"), (True, "true or false"), ([], "a list")]
)
def test_a_value_of_the_wrong_type_is_named(value: object, kind: str) -> None:
    assert problems(lines(TRAVEL | {"story_id": value})) == [
        f"Row 1, column story_id: This is {kind}; text is expected."
    ]


def test_a_missing_field_is_named() -> None:
    row = {name: value for name, value in POSSIBLE.items() if name != "original_ending"}

    assert problems(lines(row)) == ["Row 1, column original_ending: This field is missing."]


def test_a_field_that_is_there_twice_is_named() -> None:
    content = lines(TRAVEL) + '{"story_id": "1", "premise": "a", "story_id": "2"}\n'

    assert problems(content) == [
        "Row 2, column story_id: The field is there twice; which one counts is unclear."
    ]


@pytest.mark.parametrize(
    ("escape", "words"),
    [
        (r"a\u0000b", "A NUL character stands here."),
        (r"a\ud800b", "Half of a surrogate pair stands here."),
        ("x" * 131_073, "more than 131,072 characters"),
    ],
)
def test_text_that_cannot_be_stored_is_named(escape: str, words: str) -> None:
    content = lines(TRAVEL).replace("It rained.", escape)

    (problem,) = problems(content)

    assert problem.startswith("Row 1, column initial: ") and words in problem


@pytest.mark.parametrize(
    ("name", "column", "words"),
    [
        ("a\0b", r"a\u0000b", "A NUL character stands here."),
        ("caf\u00e9\ud800", r"caf\u00e9\ud800", "Half of a surrogate pair stands here."),
        ("x" * 131_073, "x" * 100, "more than 131,072 characters"),
    ],
)
def test_a_field_whose_name_cannot_be_stored_is_named(name: str, column: str, words: str) -> None:
    stories, report = read(lines(TRAVEL, TRAVEL | {"story_id": "t2", name: 1}))

    (problem,) = map(str, report.problems)
    assert problem.startswith(f"Row 2, column {column}: The name of this field cannot be used. ")
    assert words in problem
    assert len(stories) == 1 and report.unused_fields == ("counterfactual",)


def test_a_file_in_which_each_row_has_such_a_name_is_refused_for_it() -> None:
    (problem,) = problems(lines(TRAVEL | {"\0": 1}))

    assert problem.startswith(r"Row 1, column \u0000: The name of this field cannot be used.")


def test_a_field_that_is_there_twice_is_named_as_it_can_be_stored() -> None:
    (problem,) = problems(lines(TRAVEL) + r'{"a\u0000": {"\ud800": 1, "\ud800": 2}}')

    assert problem.startswith(r"Row 2, column \ud800: The field is there twice")


@pytest.mark.parametrize("line", ['{"a": NaN}', '{"a": 1e999999, "b": -Infinity}', "[" * 100_000])
def test_json_that_is_none_to_everyone_else_is_refused(line: str) -> None:
    (problem,) = problems(lines(TRAVEL) + line)

    assert problem.startswith("Row 2")


def test_a_number_too_long_to_read_is_refused() -> None:
    (problem,) = problems(lines(TRAVEL) + '{"a": ' + "9" * 5_000 + "}")

    assert problem.startswith("Row 2: This line is nested too deeply or holds a number too long")


def test_line_separators_inside_a_text_do_not_end_a_row() -> None:
    content = json.dumps(TRAVEL | {"initial": "a\u2028b\u0085c"}, ensure_ascii=False) + "\r\n"

    stories, report = read(content)

    assert report.ok
    assert stories[0].sentences[1] == "a\u2028b\u0085c"


def test_an_object_of_no_known_format_is_told_with_its_fields() -> None:
    (problem,) = problems(lines({"text": "a", "id": 1}))

    assert "The fields are: id, text." in problem
    assert "come as a table with the columns story_id, title, line1, line2 and so on" in problem
    assert "timetravel-jsonl (story_id, premise, initial, original_ending)." in problem


def test_one_json_list_is_not_one_object_a_line() -> None:
    assert problems("[\n" + json.dumps(TRAVEL) + "\n]\n") != []


def test_a_named_format_holds_even_where_the_file_looks_like_another() -> None:
    assert problems(lines(TRAVEL), "pasta-jsonl")[0] == (
        "Row 1, column Input.storyid: This field is missing."
    )
