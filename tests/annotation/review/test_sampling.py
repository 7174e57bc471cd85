from collections import Counter
from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.review.sampling import SamplingRule, draw_doubles, draw_sample


@pytest.mark.parametrize(
    ("n", "required"),
    [
        (0, 0),
        (1, 1),
        (10, 3),
        (11, 4),
        (50, 15),
        (99, 30),
        (100, 30),
        (101, 31),
        (149, 40),
        (150, 40),
        (1000, 40),
    ],
)
def test_the_rule_asks_for_so_many(n: int, required: int) -> None:
    assert SamplingRule().required(n) == required


@given(st.integers(0, 2000))
def test_the_rule_is_the_piecewise_one(n: int) -> None:
    piece = 3 * n / Decimal(10) if n < 100 else 2 * n / Decimal(10) + 10 if n < 150 else 40

    assert 0 <= SamplingRule().required(n) - piece < 1


@given(st.sets(st.integers(1, 500), max_size=60), st.data())
def test_topping_up_keeps_what_was_picked(ids: set[int], data: st.DataObject) -> None:
    picked = data.draw(st.sets(st.sampled_from(sorted(ids)))) if ids else set()
    required = data.draw(st.integers(0, 80))

    new = draw_sample(sorted(ids), picked=picked, required=required, seed="1")

    assert not set(new) & picked
    assert set(new) <= ids
    assert len(new) == max(0, min(required, len(ids)) - len(picked))


@given(st.permutations(range(12)))
def test_the_order_of_the_rows_does_not_matter(ids: list[int]) -> None:
    again = draw_sample(range(12), picked={3}, required=5, seed="7:2:1")

    assert draw_sample(ids, picked={3}, required=5, seed="7:2:1") == again


def test_every_sample_is_as_likely_as_any_other() -> None:
    """Chi-square over seeds: 10 samples of 2 of 5; 27.9 is its 0.1% point with 9 degrees."""
    drawn = Counter(
        frozenset(draw_sample(range(5), picked=set(), required=2, seed=f"{seed}:1:1"))
        for seed in range(5000)
    )
    expected = 5000 / 10

    assert set(drawn) == {frozenset(pair) for pair in combinations(range(5), 2)}
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 27.9


def test_topping_up_is_uniform_among_the_rest() -> None:
    drawn = Counter(
        one
        for seed in range(4000)
        for one in draw_sample(range(9), picked={0, 4, 8}, required=5, seed=f"{seed}:1:2")
    )
    expected = 4000 * 2 / 6

    assert set(drawn) == {1, 2, 3, 5, 6, 7}
    # 5 degrees of freedom, 0.1% point.
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 20.6


def test_so_many_of_all_picks_are_judged_twice() -> None:
    share = Decimal("0.1")
    doubled = 0
    for batch in range(20):
        picks = list(range(batch * 7, batch * 7 + 7))
        new = draw_doubles(picks, before=batch * 7, doubled=doubled, share=share, seed=f"{batch}")
        doubled += len(new)
        assert new <= set(picks)
        assert abs(doubled - share * (batch + 1) * 7) <= Decimal("0.5")


def test_topped_up_among_what_came_since_early_and_late_work_are_as_likely() -> None:
    drawn: Counter[int] = Counter()
    for seed in range(3000):
        first = set(draw_sample(range(10), picked=set(), required=3, seed=f"{seed}:1:1"))
        more = draw_sample(
            range(20), picked=first, required=6, seed=f"{seed}:1:2", fresh=set(range(10, 20))
        )
        drawn.update([*first, *more])
    expected = 3000 * 6 / 20

    # 19 degrees of freedom, 0.1% point.
    assert sum((drawn[one] - expected) ** 2 / expected for one in range(20)) < 43.8


def test_where_too_little_came_since_the_rest_fills_up() -> None:
    drawn = draw_sample(range(10), picked={0}, required=6, seed="1:1:2", fresh={8, 9})

    assert set(drawn[:2]) == {8, 9}
    assert len(set(drawn)) == 5 and 0 not in drawn
