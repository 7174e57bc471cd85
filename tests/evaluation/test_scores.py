"""Reports as pure functions: numbers that can be worked out by hand."""

from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.instruments import pasta, timetravel
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Level, Option
from evaluation.reports import likert, pairwise, state_change, state_inference, story_revision
from evaluation.reports.agreement import agreement_lines
from evaluation.reports.rows import RatedItem, first_submitted
from evaluation.reports.scores import ReportRefused, Score, lines_of
from evaluation.reports.votes import majority
from tests.evaluation.rated import each, rated, together


def values(scores: list[Score], metrics: object, expected: int | None = None) -> dict[str, float]:
    lines = lines_of(scores, metrics, expected)  # type: ignore[arg-type]
    return {line.cell.metric: round(line.value or 0, 4) for line in lines}


@pytest.mark.parametrize(
    ("votes", "carried"),
    [([1, 1, 0], True), ([1, 0], False), ([1, 0, 0], False), ([1], True), ([1, 1, 0, 0], False)],
)
def test_a_tie_is_no_majority(votes: list[int], carried: bool) -> None:
    assert majority([bool(vote) for vote in votes]) is carried


def inference(part: str, gold: int, *codes: int) -> RatedItem:
    answers = each("inferable", *codes)
    return rated(*answers, group="T", part=part, gold={"inferable": gold})


def test_state_inference_pairs_the_states_of_a_story() -> None:
    items = [
        inference("story_state", 1, 3, 4, 0),
        inference("story_mod_state", 0, 2, 2, 4),
        inference("mod_story_mod_state", 1, 2, 2, 4),
        inference("mod_story_state", 0, 0, 1, 1),
    ]
    scores = list(state_inference.scores(items, pasta.STATE_INFERENCE, "published"))

    assert values(scores, state_inference.METRICS) == {"accuracy": 75, "contrastive": 50}
    expected = values(scores, state_inference.METRICS, 8)
    assert expected == {"accuracy": 37.5, "contrastive": 25}


@pytest.mark.parametrize(("gold", "sure"), [(1, 4), (0, 0)])
def test_a_tie_is_right_about_no_state(gold: int, sure: int) -> None:
    items = [
        inference("story_state", gold, 4, 0),
        inference("story_state", gold, sure, sure, 4, 0),
    ]
    scores = list(state_inference.scores(items, pasta.STATE_INFERENCE, "published"))

    assert values(scores, state_inference.METRICS)["accuracy"] == 50


def test_a_story_that_was_rated_in_two_rounds_is_two_pairs() -> None:
    parts = [("story_state", 1, 4), ("story_mod_state", 0, 0)]
    first = [inference(part, gold, code) for part, gold, code in parts]
    second = [replace(inference(part, gold, 4), round=2) for part, gold, _code in parts]
    scores = list(state_inference.scores([*first, *second], pasta.STATE_INFERENCE, "published"))

    assert values(scores, state_inference.METRICS) == {"accuracy": 75, "contrastive": 50}


def test_a_story_that_is_in_two_files_is_two_pairs() -> None:
    parts = [("story_state", 1, 4), ("story_mod_state", 0, 0), ("story_state", 1, 4)]
    items = [
        inference(part, gold, code) for part, gold, code in (*parts, ("story_mod_state", 0, 4))
    ]
    scores = list(state_inference.scores(items, pasta.STATE_INFERENCE, "published"))

    assert values(scores, state_inference.METRICS) == {"accuracy": 75, "contrastive": 50}


def test_a_story_with_one_state_is_no_pair() -> None:
    scores = list(
        state_inference.scores(
            [inference("story_state", 1, 3, 4, 0)], pasta.STATE_INFERENCE, "published"
        )
    )

    assert values(scores, state_inference.METRICS) == {"accuracy": 100}


def test_state_inference_needs_gold_answers() -> None:
    with pytest.raises(ReportRefused, match="no gold answer"):
        list(
            state_inference.scores(
                [rated(*each("inferable", 1))], pasta.STATE_INFERENCE, "published"
            )
        )


def test_story_revision_and_what_an_absent_one_scores() -> None:
    items = [
        rated(*together(inferable=(3, 4, 0), logical=(1, 0, 0), degree=(0, 1, 2))),
        rated(*together(inferable=(3, 4, 0), logical=(1, 1, 0), degree=(3, 3, 3))),
    ]
    scores = list(story_revision.scores(items, pasta.STORY_REVISION, "published"))

    assert values(scores, story_revision.METRICS) == {
        "inferable": 100,
        "logical": 50,
        "all": 50,
        "minimal": 33.3333,
    }
    assert values(scores, story_revision.METRICS, 4) == {
        "inferable": 50,
        "logical": 25,
        "all": 25,
        "minimal": 66.6667,
    }
    with pytest.raises(ReportRefused, match="A has more items than are expected"):
        values(scores, story_revision.METRICS, 1)


def test_five_points_of_change_reach_as_far() -> None:
    items = [rated(*together(inferable=(3,), logical=(1,), degree=(1,)))]

    scores = list(story_revision.scores(items, pasta.STORY_REVISION_FIVE, "published"))

    assert values(scores, story_revision.METRICS)["minimal"] == 75


@pytest.mark.parametrize(
    ("rule", "inferable", "whole"),
    [
        # State 1: shares 2/3 and 1/3; state 2: 1/3 and 2/3, and it is stated in a story.
        ("published", 0, 16.6667),
        # State 1: 1 - 0; state 2: 0 - 1, not below 0.
        ("text", 50, 50),
    ],
)
def test_state_change_by_either_rule(rule: str, inferable: float, whole: float) -> None:
    same = {"attribute": (1, 1, 0)}
    codes = {"inferable_s": (4, 3, 2), "inferable_s_prime": (0, 1, 3)}
    items = [
        rated(*together(**same, **codes, in_story=(0, 0, 1)), group="T", part="state"),
        rated(*together(**same, **codes, in_story=(0, 1, 2)), group="T", part="mod_state"),
    ]

    scores = list(state_change.scores(items, pasta.STATE_CHANGE, rule))

    assert values(scores, state_change.METRICS) == {
        "attribute": 100,
        "inferable": inferable,
        "not_in_story": 50,
        "all": whole,
    }
    assert {score.items for score in scores} == {(items[0].pk, items[1].pk)}


@pytest.mark.parametrize("more", [{"round": 2}, {}])
def test_an_output_that_was_rated_again_is_another_one(more: dict[str, Any]) -> None:
    """In two rounds, or in two files."""
    stated = [((0, 0, 0), {"round": 1} if more else {}), ((2, 2, 2), more)]
    codes = {"attribute": (1, 1, 0), "inferable_s": (4, 3, 2), "inferable_s_prime": (0, 1, 3)}
    items = [
        rated(*together(**codes, in_story=given), group="T", part=part, **own)
        for given, own in stated
        for part in ("state", "mod_state")
    ]

    scores = list(state_change.scores(items, pasta.STATE_CHANGE, "published"))

    found = {line.cell.metric: line for line in lines_of(scores, state_change.METRICS)}
    assert (found["not_in_story"].value, found["not_in_story"].n) == (50, 2)


def test_outputs_of_no_known_source_stand_alone() -> None:
    codes = {"attribute": (1,), "inferable_s": (4,), "inferable_s_prime": (0,), "in_story": (0,)}
    items = [rated(*together(**codes), part=part) for part in ("state", "mod_state")]

    scores = list(state_change.scores(items, pasta.STATE_CHANGE, "published"))

    assert [score.items for score in scores if score.metric == "all"] == [
        (items[0].pk,),
        (items[1].pk,),
    ]


def test_state_change_needs_to_know_whose_state_it_is() -> None:
    item = rated(*together(attribute=(1,), inferable_s=(1,), inferable_s_prime=(1,), in_story=(0,)))

    with pytest.raises(ReportRefused, match="which state"):
        list(state_change.scores([item], pasta.STATE_CHANGE, "text"))


def test_scales_are_means_over_items() -> None:
    items = [rated(*each("plot", 1, 3)), rated(*each("plot", 3)), rated(*each("premise", 1))]

    scores = list(likert.scores(items, timetravel.LIKERT, "published"))

    assert values(scores, likert.metrics(timetravel.LIKERT)) == {"premise": 1, "plot": 2.5}


def test_pairs_are_counted_with_two_kinds_of_ties() -> None:
    items = [
        rated(*each("plot", "first", "first", "second"), rival="B"),
        rated(*each("plot", "equally_good", "equally_bad", "first"), rival="B"),
    ]

    scores = list(pairwise.scores(items, timetravel.PAIRWISE, "published"))

    plot = [one for one in lines_of(scores, pairwise.METRICS) if one.cell.question == "plot"]
    assert [(one.cell.metric, one.value, one.n) for one in plot] == [
        ("wins", 3, 6),
        ("losses", 1, 6),
        ("equally_good", 1, 6),
        ("equally_bad", 1, 6),
    ]
    assert plot[0].as_dict() == {
        "system": "A",
        "rival": "B",
        "question": "plot",
        "metric": "wins",
        "value": 3,
        "n": 6,
    }


def test_agreement_that_is_undefined_says_so() -> None:
    lone = [rated(*each("inferable", 3)), rated(*each("inferable", 1))]

    line, mean = agreement_lines(lone, pasta.STATE_INFERENCE)

    assert line.value is None and line.undefined
    assert mean.value is None and mean.undefined == "the agreement on a question is undefined"
    assert mean.as_dict()["undefined"] and line.as_dict()["value"] is None


def test_agreement_off_the_scale_is_refused() -> None:
    with pytest.raises(ReportRefused, match="“inferable”"):
        agreement_lines([rated(*each("inferable", 3, 9))], pasta.STATE_INFERENCE)


def test_a_scale_that_its_weights_cannot_take_is_refused() -> None:
    """As an instrument may have it that is older than the check."""
    clear = timetravel.LIKERT.questions[0]
    codes = Mock(spec=clear, slug="plot", codes=(-1, 0, 1), level=Level.RATIO, is_closed=True)
    declared = Mock(questions=(codes,))

    with pytest.raises(ReportRefused, match="“plot”: Ratio weights cannot take"):
        agreement_lines([rated(*each("plot", -1, 1))], declared)


def test_agreement_of_many_raters_needs_no_table_of_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = rated(*each("inferable", 3, 3))
    lone = [rated(*each("inferable", 1)) for _number in range(3000)]
    for number, item in enumerate(lone):
        replaced = replace(item.ratings[0], rater=10 + number)
        lone[number] = replace(item, ratings=(replaced,))

    line = agreement_lines([pair, *lone], pasta.STATE_INFERENCE)[0]
    assert line.found is not None
    assert (line.n_items, line.found.n_raters, line.found.observed) == (3001, 3002, 1.0)

    monkeypatch.setattr("stats.long.MOST_CELLS", 6001)
    with pytest.raises(ReportRefused, match="“inferable”: These are too many ratings at once"):
        agreement_lines([pair, *lone], pasta.STATE_INFERENCE)


def changed(declared: Declaration, question: str, **change: Any) -> Declaration:
    questions = [
        replace(one, **change) if one.slug == question else one for one in declared.questions
    ]
    return replace(declared, questions=tuple(questions))


REVISED = rated(*together(inferable=(3, 1), logical=(1, 1), degree=(0, 0)))
FROM_BELOW = (Option(-1, "Less"), Option(0, "As much"))


@pytest.mark.parametrize(
    ("item", "declared", "says"),
    [
        (REVISED, changed(pasta.STORY_REVISION, "logical", threshold=None), "“logical” has no"),
        (REVISED, changed(pasta.STORY_REVISION, "degree", options=FROM_BELOW), "rise above 0"),
        (rated(*each("inferable", 3)), pasta.STORY_REVISION, "Nobody was asked “logical”"),
        (
            rated(*together(inferable=(3,), logical=(1,), degree=(10**400,))),
            pasta.STORY_REVISION,
            "“degree” about item .* is not on its scale",
        ),
    ],
)
def test_a_revision_that_cannot_be_scored_is_refused(
    item: RatedItem, declared: Declaration, says: str
) -> None:
    with pytest.raises(ReportRefused, match=says):
        list(story_revision.scores([item], declared, "published"))


def test_a_state_without_an_answer_and_points_off_the_scale_are_refused() -> None:
    asked = together(attribute=(0,), inferable_s_prime=(1,), in_story=(0,))
    with pytest.raises(ReportRefused, match="Nobody was asked “inferable_s”"):
        list(state_change.scores([rated(*asked, part="state")], pasta.STATE_CHANGE, "text"))
    with pytest.raises(ReportRefused, match="“plot” about item .* is not on its scale"):
        list(likert.scores([rated(*each("plot", 10**400))], timetravel.LIKERT, "text"))


def test_the_first_ratings_are_each_systems() -> None:
    items = [rated(*each("inferable", 1, 2, 3)), rated(*each("inferable", 4), system="B")]

    kept = first_submitted(items, 2)

    assert [item.codes("inferable") for item in kept] == [[1, 2], [4]]
    assert [item.system for item in first_submitted(items[:1], 1)] == ["A"]


code = st.integers(0, 4)
table = st.lists(st.lists(code, min_size=2, max_size=4), min_size=2, max_size=6)


@settings(max_examples=25)
@given(table, st.randoms())
def test_the_order_of_raters_and_items_changes_nothing(
    codes: list[list[int]], random: Random
) -> None:
    items = [inference("story_state", 1, *row) for row in codes]
    mixed = [inference("story_state", 1, *random.sample(row, len(row))) for row in codes]
    random.shuffle(mixed)

    assert accuracy(items) == accuracy(mixed)
    assert agreement(items) == pytest.approx(agreement(mixed), abs=1e-9)


def accuracy(items: list[RatedItem]) -> dict[str, float]:
    scores = list(state_inference.scores(items, pasta.STATE_INFERENCE, "text"))
    return values(scores, state_inference.METRICS)


def agreement(items: list[RatedItem]) -> float | None:
    return agreement_lines(items, pasta.STATE_INFERENCE)[0].value
