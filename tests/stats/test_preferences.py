from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from stats.preferences import (
    APART,
    NOTHING,
    UNCONNECTED,
    Comparison,
    Tally,
    Verdict,
    bradley_terry,
    tally,
)

FIRST, SECOND, GOOD, BAD = Verdict


def compared(*rows: tuple[Any, str, str, Verdict]) -> list[Comparison]:
    return [Comparison(*row) for row in rows]


def test_wins_losses_and_both_kinds_of_tie_are_counted_for_each_question() -> None:
    rows = [
        Comparison(1, "t5", "gpt", FIRST, "plot"),
        Comparison(1, "gpt", "t5", FIRST, "plot"),
        Comparison(2, "gpt", "t5", SECOND, "plot"),
        Comparison(2, "t5", "gpt", GOOD, "plot"),
        Comparison(2, "gpt", "t5", BAD, "plot"),
        Comparison(3, "gpt", "t5", BAD, "plot"),
        Comparison(3, "gpt", "t5", FIRST, "ending"),
        Comparison(3, "gpt", "base", SECOND, "ending"),
    ]

    assert tally(rows) == [
        Tally("ending", "base", "gpt", wins=1, losses=0, both_good=0, both_bad=0),
        Tally("ending", "gpt", "t5", wins=1, losses=0, both_good=0, both_bad=0),
        Tally("plot", "gpt", "t5", wins=1, losses=2, both_good=1, both_bad=2),
    ]
    assert tally(rows)[2].n == 6


def test_of_two_systems_the_strengths_are_the_log_odds() -> None:
    """One comparison an item: then the clustered error is the usual one but for n / (n - 1)."""
    rows = compared(*[(i, "a", "b", FIRST if i < 30 else SECOND) for i in range(40)])

    found = bradley_terry(rows)

    best, other = found.strengths
    assert (best.system, other.system) == ("a", "b")
    assert best.value == pytest.approx(log(3) / 2, abs=1e-7)
    assert other.value == pytest.approx(-log(3) / 2, abs=1e-7)
    assert best.se == pytest.approx(sqrt(40 / 39 / (40 * 0.75 * 0.25)) / 2, abs=1e-7)
    assert (found.n_items, found.n_comparisons) == (40, 40)


def test_verdicts_on_one_item_count_as_one() -> None:
    once = compared(*[(i, "a", "b", FIRST if i < 30 else SECOND) for i in range(40)])

    alone, copied = bradley_terry(once), bradley_terry(once * 5)

    assert copied.strengths[0].value == pytest.approx(alone.strengths[0].value, abs=1e-7)
    assert copied.strengths[0].se == pytest.approx(alone.strengths[0].se, abs=1e-7)


def test_intervals_hold_what_made_the_verdicts_as_often_as_they_say() -> None:
    """Verdicts on an item lean the same way, so that unclustered intervals would be too narrow."""
    rng = np.random.default_rng(4)
    truth = np.array([0.6, 0.0, -0.6])
    hits, tried = 0, 60
    for _ in range(tried):
        rows = []
        for item in range(40):
            lean = rng.normal(0, 0.7, 3)
            for _rater in range(3):
                a, b = rng.choice(3, 2, replace=False)
                won = rng.random() < expit(truth[a] + lean[a] - truth[b] - lean[b])
                rows.append(Comparison(item, "abc"[a], "abc"[b], FIRST if won else SECOND))
        a = next(one for one in bradley_terry(rows).strengths if one.system == "b")
        assert a.ci_low is not None and a.ci_high is not None
        hits += a.ci_low <= 0 <= a.ci_high
    assert 0.85 < hits / tried < 0.995


def test_a_tie_is_half_a_win_or_left_out() -> None:
    rows = compared(
        (1, "a", "b", FIRST), (2, "a", "b", SECOND), (3, "a", "b", GOOD), (4, "b", "a", FIRST)
    )

    half, without = bradley_terry(rows), bradley_terry(rows, ties=False)

    assert half.strengths[0].value == pytest.approx(log(2.5 / 1.5) / 2, abs=1e-7)
    assert without.strengths[0].value == pytest.approx(log(2) / 2, abs=1e-7)
    assert without.n_comparisons == 3


def test_who_never_wins_has_no_strength() -> None:
    rows = compared((1, "a", "b", FIRST), (2, "b", "a", SECOND))

    found = bradley_terry(rows)

    assert (found.strengths, found.undefined_reason) == ((), UNCONNECTED)


def test_without_comparisons_there_is_no_strength() -> None:
    assert bradley_terry([]).undefined_reason == NOTHING
    assert bradley_terry(compared((1, "a", "b", GOOD)), ties=False).undefined_reason == NOTHING


def test_a_single_item_gives_no_interval() -> None:
    found = bradley_terry(compared((1, "a", "b", FIRST), (1, "a", "b", SECOND)))

    assert [(one.value, one.se) for one in found.strengths] == [(0, None), (0, None)]


@pytest.mark.parametrize(
    ("verdicts", "strength"),
    [((GOOD,), 0), ((FIRST, SECOND), 0), ((FIRST, FIRST, FIRST, SECOND), log(3) / 2)],
)
def test_items_that_all_say_the_same_give_no_interval(
    verdicts: tuple[Verdict, ...], strength: float
) -> None:
    """By Davidson's (1970) model ties alone fit any strengths, so that 0 is not certain."""
    found = bradley_terry(
        compared(*[(item, "a", "b", verdict) for item in range(9) for verdict in verdicts])
    )

    assert [one.system for one in found.strengths] == ["a", "b"]
    assert found.strengths[0].value == pytest.approx(strength, abs=1e-7)
    assert {(one.se, one.ci_low, one.ci_high) for one in found.strengths} == {(None, None, None)}


def test_the_others_have_their_interval_beside_one_that_always_ties() -> None:
    ties = [(i, "a", other, GOOD) for i in range(9) for other in "bc"]
    decided = [(i, "b", "c", FIRST if i % 2 else SECOND) for i in range(9)]

    found = {one.system: one for one in bradley_terry(compared(*ties, *decided)).strengths}

    assert found["a"].se is None
    assert found["b"].se
    assert found["b"].se == pytest.approx(found["c"].se)


def test_systems_that_were_never_compared_are_on_no_common_scale() -> None:
    rows = [(i, *pair, FIRST if i % 2 else SECOND) for i in range(9) for pair in ("ab", "cd")]

    found = bradley_terry(compared(*rows))

    assert (found.strengths, found.undefined_reason) == ((), APART)


def test_questions_are_not_mixed() -> None:
    rows = [Comparison(1, "a", "b", FIRST, "plot"), Comparison(1, "a", "b", FIRST, "ending")]

    with pytest.raises(ValueError, match="several"):
        bradley_terry(rows)


def test_a_comparison_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="a was compared with itself"):
        Comparison(1, "a", "a", FIRST)
    with pytest.raises(ValueError, match="better"):
        Comparison(1, "a", "b", "better")  # type: ignore[arg-type]
