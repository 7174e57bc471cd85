"""The rule that splits a release by story."""

import random
from collections.abc import Mapping
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Split
from annotation.releases.rule import read_ratios
from annotation.releases.splits import (
    DEFAULT_RATIOS,
    BadRatios,
    Placement,
    Ratios,
    StoryRows,
    place_stories,
)

SHARES = dict(zip(Split, DEFAULT_RATIOS, strict=True))


@st.composite
def some_stories(draw: st.DrawFn, most: int = 60) -> list[StoryRows]:
    names = draw(st.lists(st.text(min_size=1, max_size=8), max_size=most, unique=True))
    stories = []
    for name in names:
        rows = draw(st.integers(1, 9))
        stories.append(StoryRows(name, rows, draw(st.integers(0, rows))))
    return stories


seeds = st.integers(0, 2**63 - 1)


def place(
    stories: list[StoryRows],
    seed: int = 1,
    *,
    placed: Mapping[str, Split] | None = None,
    ratios: Ratios = DEFAULT_RATIOS,
) -> Placement:
    return place_stories(stories, placed=placed or {}, ratios=ratios, seed=seed)


def many(count: int, *, reviewed: float = 1, seed: int = 0) -> list[StoryRows]:
    draw = random.Random(seed)
    sizes = [draw.randint(1, 5) for _ in range(count)]
    return [
        StoryRows(f"story-{n}", rows, sum(draw.random() < reviewed for _ in range(rows)))
        for n, rows in enumerate(sizes)
    ]


@given(some_stories(), seeds, st.randoms(use_true_random=False))
def test_the_order_in_which_stories_come_is_of_no_account(
    stories: list[StoryRows], seed: int, shuffler: random.Random
) -> None:
    shuffled = list(stories)
    shuffler.shuffle(shuffled)

    assert place(shuffled, seed) == place(stories, seed)


@given(some_stories(), some_stories(), seeds)
def test_stories_that_stand_in_a_split_stay_there(
    first: list[StoryRows], second: list[StoryRows], seed: int
) -> None:
    before = place(first, seed).splits
    both = {one.story: one for one in [*first, *second]}

    after = place(list(both.values()), seed, placed=before)

    assert {name: after.splits[name] for name in before} == before
    assert after.splits.keys() == both.keys()


@given(some_stories(), seeds)
def test_every_row_is_in_one_split_or_withheld(stories: list[StoryRows], seed: int) -> None:
    placement = place(stories, seed)

    assert sum(placement.rows.values()) + placement.withheld == sum(one.rows for one in stories)
    untestable = {one.story for one in stories if not one.testable}
    assert not [s for s in untestable if placement.splits[s] == Split.TEST]


@given(seeds)
def test_the_shares_are_met(seed: int) -> None:
    placement = place(many(400), seed)

    whole = sum(placement.rows.values())
    for split, share in SHARES.items():
        assert abs(placement.rows[split] / whole - float(share)) < 0.01


@given(seeds)
def test_the_share_of_test_rows_is_met_where_most_of_their_stories_is_withheld(seed: int) -> None:
    placement = place(many(600, reviewed=0.3), seed)

    whole = sum(placement.rows.values())
    assert placement.withheld > 0 and placement.missing_reviews == 0
    assert abs(placement.rows[Split.TEST] / whole - 0.08) < 0.01


@given(seeds, st.integers(0, 25))
def test_so_many_reviews_as_are_missing_are_enough(seed: int, reviewed: int) -> None:
    stories = [StoryRows(f"s{n}", 3, 1 if n < reviewed else 0) for n in range(300)]
    missing = place(stories, seed).missing_reviews
    assert missing > 0

    more = [StoryRows(f"s{n}", 3, 1 if n < reviewed + missing else 0) for n in range(300)]

    assert place(more, seed).missing_reviews == 0


@given(seeds)
def test_the_seed_decides(seed: int) -> None:
    stories = many(80)

    assert place(stories, seed).splits != place(stories, seed + 1).splits


def test_later_rows_of_a_test_story_are_withheld_where_nobody_reviewed_them() -> None:
    placed = {"a": Split.TEST, "b": Split.TRAIN}

    placement = place([StoryRows("a", 5, 2), StoryRows("b", 4, 4)], placed=placed)

    assert placement.rows == {Split.TRAIN: 4, Split.VALIDATION: 0, Split.TEST: 2}
    assert placement.withheld == 3


def test_a_split_without_a_share_gets_nothing() -> None:
    placement = place(many(50), ratios=read_ratios("1,0,0"))

    assert set(placement.splits.values()) == {Split.TRAIN}
    assert placement.missing_reviews == 0


def test_ratios_are_read_to_the_digit() -> None:
    assert list(read_ratios(".8, .12,.08")) == [Decimal("0.8"), Decimal("0.12"), Decimal("0.08")]


@pytest.mark.parametrize(
    "text", ["", ".8,.2", ".8,.1,.08", "a,b,c", "1,1,-1", "NaN,0,0", ".5,.3,.1,.1", "Infinity,0,0"]
)
def test_other_ratios_are_refused(text: str) -> None:
    with pytest.raises(BadRatios):
        read_ratios(text)
