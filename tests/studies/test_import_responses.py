import io
import json
import threading
from typing import Any

import pytest
from django.db import connection

from studies.models import (
    Assignment,
    AssignmentState,
    Contribution,
    Response,
    ResponseState,
    Round,
    RoundState,
    Study,
)
from studies.services.response_import import ResponseImport, import_responses
from studies.services.stories import import_stories
from tests.studies.factories import make_study
from tests.studies.published import lines, published_row


def bring(study: Study, content: bytes, fmt: str = "auto") -> ResponseImport:
    return import_responses(study=study, source=io.BytesIO(content), name="past.jsonl", fmt=fmt)


def problems(content: bytes) -> list[str]:
    study = make_study()
    outcome = bring(study, content)
    assert not study.rounds.exists() and not study.stories.exists()
    return [str(problem) for problem in outcome.problems]


@pytest.mark.django_db
def test_rows_become_confirmed_responses_of_a_closed_past_round() -> None:
    study = make_study()

    outcome = bring(study, lines(published_row("A1"), published_row("A2")))

    assert (outcome.added, outcome.stories_added, outcome.rounds) == (2, 1, (1,))
    round = study.rounds.get()
    assert round.past and round.state == RoundState.CLOSED and round.overlap == 2
    task = round.tasks.get()
    assert (task.overlap, task.taken, task.story) == (2, 2, study.stories.get())
    assignment = task.assignments.order_by("pk")[0]
    assert assignment.marketplace_id == "A1" and assignment.participant is None
    assert assignment.state == AssignmentState.APPROVED
    assert assignment.response.state == ResponseState.CONFIRMED
    assert assignment.response.answers["justification"] == [5]
    assert assignment.response.contributions.get().kind == "state_annotation"


@pytest.mark.django_db
def test_stories_that_are_there_already_are_used() -> None:
    study = make_study()
    content = lines(published_row())
    import_stories(study=study, source=io.BytesIO(content), name="stories")

    outcome = bring(study, content)

    assert outcome.stories_added == 0
    assert study.rounds.get().tasks.get().story == study.stories.get()


@pytest.mark.django_db
def test_the_same_file_again_changes_nothing() -> None:
    study = make_study()
    content = lines(published_row("A1"), published_row("A2"))
    bring(study, content)

    outcome = bring(study, content)

    assert (outcome.added, outcome.unchanged, outcome.rounds) == (0, 2, ())
    assert Round.objects.count() == 1 and Response.objects.count() == 2


@pytest.mark.django_db
def test_new_rows_of_a_longer_file_become_a_round_of_their_own() -> None:
    study = make_study()
    bring(study, lines(published_row("A1")))

    outcome = bring(
        study, lines(published_row("A1"), published_row("A2"), published_row("A3", "s2"))
    )

    assert (outcome.added, outcome.unchanged, outcome.rounds) == (2, 1, (2,))
    assert study.stories.count() == 2


@pytest.mark.django_db
def test_other_content_under_a_stored_id_is_refused_and_nothing_is_stored() -> None:
    study = make_study()
    bring(study, lines(published_row("A1")))
    changed = published_row("A1", **{"Answer.assertion": "Nora is slow."})

    outcome = bring(study, lines(published_row("A2"), changed))

    assert [str(problem) for problem in outcome.problems] == [
        "Row 2: Assignment A1 is in this study already, with another content."
    ]
    assert Response.objects.count() == 1 and Round.objects.count() == 1


@pytest.mark.django_db
def test_a_story_stored_with_another_text_is_refused() -> None:
    study = make_study()
    bring(study, lines(published_row("A1")))

    outcome = bring(study, lines(published_row("A2", **{"Input.line1": "Nora flew."})))

    assert [str(p) for p in outcome.problems] == [
        "Row 1: Story s1 is in this study with another text."
    ]
    assert Assignment.objects.count() == 1


@pytest.mark.django_db
def test_text_is_kept_to_the_letter() -> None:
    study = make_study()
    odd = " Nora\r\rsaid “e\u0301” \u2028 \\N\t🌒 "

    outcome = bring(study, lines(published_row(**{"Answer.mod_line2": odd, "Input.line2": odd})))

    response = Response.objects.get()
    assert outcome.ok
    assert response.answers["revision"][1] == odd
    assert response.assignment.task.payload["sentences"][1] == odd


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"Answer.line2.on": "yes"}, "Row 1, column Answer.line2.on: This must be true or false."),
        ({"Input.line3": 3}, "Row 1, column Input.line3: This must be text."),
        ({"extra": 1}, "Row 1, column extra: This layout has no such field."),
        (
            {"AssignmentId": ""},
            "Row 1, column AssignmentId: This must have 1 to 100 characters.",
        ),
        (
            {"Answer.assertion": "a\0b"},
            "Row 1, column Answer.assertion: A NUL character stands here. It cannot be stored.",
        ),
        (
            {"a\0b": 1},
            r"Row 1, column a\u0000b: The name of this field cannot be used. A NUL character stands"
            " here. It cannot be stored.",
        ),
        ({"Input.line4": " "}, "Row 1, column line4: This sentence is empty."),
    ],
)
def test_a_row_with_a_wrong_field_is_named(change: dict[str, Any], problem: str) -> None:
    assert problems(lines(published_row(**change))) == [problem]


def own_row(**changes: Any) -> dict[str, Any]:
    """A row of our own layout, as written for another study."""
    sentences = [f"Nora walked {n} miles." for n in range(1, 6)]
    return {
        "assignment_id": "A1",
        "story_id": "s1",
        "title": "The walk",
        "sentences": sentences,
        "assertion": "Nora is fit.",
        "justification": [5],
        "changed_assertion": "Nora is not fit.",
        "revision": [*sentences[:4], "Nora gave up."],
        "task_type": "state_annotation",
    } | changes


CAUTION = {"field": "assertion", "code": "action", "message": "Is it an action?"}


@pytest.mark.django_db
@pytest.mark.parametrize("written", [[CAUTION], json.dumps([CAUTION]), "", None])
def test_warnings_come_in_as_they_went_out(written: Any) -> None:
    assert bring(make_study(), lines(own_row(warnings=written))).ok

    assert Response.objects.get().cautions == ([CAUTION] if written else [])


NO_CAUTION = "Each of these must be an object of the texts field, code and message."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("warnings", "problem"),
    [
        (["x"], NO_CAUTION),
        ([{"a": 1}], NO_CAUTION),
        ([CAUTION | {"code": 1}], NO_CAUTION),
        ([CAUTION | {"more": ""}], NO_CAUTION),
        ("[NaN]", NO_CAUTION),
        (r'["\u0000"]', NO_CAUTION),
        (
            json.dumps([CAUTION | {"message": "\0"}]),
            "A NUL character stands here. It cannot be stored.",
        ),
        (
            json.dumps([CAUTION | {"message": "\ud800"}]),
            "Half of a surrogate pair stands here. It is not a character.",
        ),
        ("[" * 990, "This must be a JSON list."),
        ("[" * 60_000 + "]" * 60_000, "This must be a JSON list."),
        ("[" * 100 + "]" * 100, NO_CAUTION),
        ({}, "This must be a list."),
    ],
)
def test_warnings_that_are_none_are_named(warnings: Any, problem: str) -> None:
    assert problems(lines(own_row(), own_row(assignment_id="A2", warnings=warnings))) == [
        f"Row 2, column warnings: {problem}"
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "moment",
    [
        "yesterday",
        "2026-02-31T09:30:00Z",
        "2026-01-31T09:30:00",
        "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_a_time_that_is_none_is_named(moment: str) -> None:
    assert problems(lines(own_row(submitted_at=moment))) == [
        "Row 1, column submitted_at: This must be a time with its zone, such as "
        "2026-01-31T09:30:00Z."
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("depth", [100, 900])
def test_a_value_that_is_nested_too_deeply_is_named(depth: int) -> None:
    row = json.dumps(own_row(more=0)).replace("0}", "[" * depth + "]" * depth + "}")

    assert problems(row.encode()) == ["Row 1, column more: This is nested too deeply."]


@pytest.mark.django_db
def test_a_missing_field_is_named() -> None:
    row = published_row()
    del row["Answer.mod_assertion"]

    assert problems(lines(published_row("A0"), row)) == [
        "Row 2, column Answer.mod_assertion: The field is missing."
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            b"story_id,title,line1\na,b,c\nd,e,f\n",
            "The layout csv needs fields that are missing here: assignment_id, assertion,"
            " changed_assertion, line1_justifies, revised_line1. The fields here are: story_id,"
            " title, line1.",
        ),
        (
            lines({"story_id": "a", "sentences": ["b"]}, {"story_id": "c", "sentences": ["d"]}),
            "Row 1: The layout jsonl needs fields that are missing here: assignment_id, title,"
            " assertion, justification, changed_assertion, revision. The fields here are:"
            " story_id, sentences.",
        ),
        (
            lines(*(published_row(f"A{n}") | {"Answer.line1.on": None} for n in range(2))).replace(
                b"Answer.line1.on", b"Answer.line1"
            ),
            "Row 1: The layout pasta-jsonl needs fields that are missing here: Answer.line1.on."
            " The fields here are: AssignmentId, ",
        ),
    ],
)
def test_a_file_of_another_layout_is_said_once(content: bytes, problem: str) -> None:
    (said,) = problems(content)
    assert said.startswith(problem)


@pytest.mark.django_db
def test_an_assignment_that_is_there_twice_names_both_rows() -> None:
    assert problems(lines(published_row("A1"), published_row("A2"), published_row("A1"))) == [
        "Row 3: Assignment A1 is in row 1 already."
    ]


@pytest.mark.django_db
def test_one_story_with_two_texts_names_both_rows() -> None:
    other = published_row("A2", **{"Input.line5": "Nora slept."})

    assert problems(lines(published_row("A1"), other)) == [
        "Row 2: Story s1 is in row 1 already, with another text."
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "There are no responses in this file."),
        (b"{bad}\n", "Row 1, column 2: This is not JSON from here on"),
        (b'{"AssignmentId": "caf\xe9"}\n', "Row 1: Byte 0xe9 at offset 21 is not UTF-8."),
        (b"a,b\n1,2\n", "The layout csv needs fields that are missing here: assignment_id, "),
        (b'{"task_type": "dancing"}\n', "Row 1, column task_type: There is no task type “dancing”"),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused(content: bytes, problem: str) -> None:
    assert problems(content)[0].startswith(problem)


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_one_file_at_once_store_it_once() -> None:
    study = make_study()
    content = lines(*(published_row(f"A{n}", f"s{n % 50}") for n in range(300)))
    start = threading.Barrier(3)
    outcomes: list[ResponseImport] = []

    def run() -> None:
        try:
            start.wait()
            outcomes.append(bring(study, content))
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted((o.added, o.unchanged) for o in outcomes) == [(0, 300), (0, 300), (300, 0)]
    assert (Response.objects.count(), Contribution.objects.count()) == (300, 300)
    assert Round.objects.count() == 1
