"""Keys, steps, process and pace as the review page puts them."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.admin.review_curve import curve_of
from annotation.admin.review_forms import VerdictForm
from annotation.admin.review_reading import grade_choices, process_rows, shown_steps
from annotation.admin.review_words import pace_words, progress_words
from annotation.review.sampling import SamplingRule
from annotation.tasks.state_annotation.review import REVIEW
from studies.admin.process import read_process
from studies.task_types import ReviewGrade

STEP: dict[str, Any] = {
    "active_ms": 48_000,
    "keys": 92,
    "away": 0,
    "away_ms": 0,
    "undos": 3,
    "resets": 0,
    "pastes": [],
    "drops": [],
}


def test_each_grade_has_a_key_of_its_own_and_none_is_taken_twice() -> None:
    grades = tuple(ReviewGrade(slug, slug, "") for slug in ("correct", "good", "great", "lazy"))

    assert [choice.key for choice in grade_choices(grades)] == ["A", "G", "R", "Y"]


def test_a_step_offers_its_own_reasons_alone_numbered_and_the_free_one_apart() -> None:
    second = shown_steps(REVIEW)[1]

    assert [(choice.key, choice.slug) for choice in second.plain_reasons] == [
        ("1", "not_minimal"),
        ("2", "insufficient"),
    ]
    assert second.other is not None
    assert len(second.reasons) == 3


def test_time_and_pastes_of_each_step_are_told_and_nothing_else_is_made_up() -> None:
    steps = {"1": STEP, "4": STEP | {"keys": 0, "pastes": [212, 18], "away": 1, "away_ms": 61_000}}
    evidence = {"pages": 1, "note": "", "steps": steps}

    rows = process_rows(evidence, read_process(evidence), REVIEW.steps)

    assert [row.name for row in rows] == ["State", "Revised story"]
    assert rows[0].words == "48 s, 92 key presses"
    assert rows[1].words == "48 s, pasted 212 + 18 characters, away 1 × in 1 min 1 s"


def test_what_was_not_recorded_has_no_rows() -> None:
    assert process_rows(None, read_process(None), REVIEW.steps) == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(9.4, "about 9 s each"), (0.2, "about 1 s each"), (190, "about 3 min each"), (None, "")],
)
def test_the_pace_is_said_as_time_for_one(seconds: float | None, words: str) -> None:
    assert pace_words(seconds) == words


def test_progress_counts_what_is_done_of_all() -> None:
    assert progress_words(12, 28) == "12 of 40"


def test_a_grade_means_correct_whatever_else_was_posted() -> None:
    verdict = VerdictForm({"grade": "good", "step": "2", "reason": "not_minimal"}).verdict()

    assert (verdict["judgement"], verdict["step"], verdict["reason"]) == ("correct", None, "")


def test_nonsense_in_the_form_counts_as_left_out() -> None:
    verdict = VerdictForm({"step": "second", "reason": "x" * 60, "seconds": "soon"}).verdict()

    assert (verdict["step"], verdict["reason"], verdict["seconds"]) == (None, "", None)


def test_the_curve_begins_at_nothing_bends_as_the_rule_does_and_ends_flat() -> None:
    curve = curve_of(SamplingRule())

    assert [(mark.n, mark.required) for mark in curve.marks] == [
        (0, 0),
        (50, 15),
        (100, 30),
        (150, 40),
        (200, 40),
    ]
    assert curve.path.startswith(f"M{curve.left:.1f},{curve.base}")


def test_the_curve_reaches_as_far_as_the_busiest_worker() -> None:
    assert curve_of(SamplingRule(share=Decimal("0.5")), largest=431).marks[-1].n == 450
