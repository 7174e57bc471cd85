"""Means, sums by sums, and their intervals."""

import numpy as np
import pytest

from stats.means import NO_WHOLE, NOTHING, mean, means, spread
from stats.resampling import TooFewResamples


def test_the_interval_of_a_mean_is_as_wide_as_theory_has_it() -> None:
    values = np.random.default_rng(1).normal(3, 2, 400)

    found = mean(values, resamples=4000)

    theory = values.std(ddof=0) / np.sqrt(len(values))
    assert found.value == pytest.approx(values.mean())
    assert found.se == pytest.approx(theory, rel=0.05)
    assert found.ci_low == pytest.approx(values.mean() - 1.96 * theory, abs=0.02)
    assert found.ci_high == pytest.approx(values.mean() + 1.96 * theory, abs=0.02)


def test_a_sum_by_a_sum_is_no_mean_of_quotients() -> None:
    found = mean([1, 9], [2, 10])

    assert found.value == pytest.approx(10 / 12)
    assert found.ci_low == pytest.approx(1 / 2)
    assert found.ci_high == pytest.approx(9 / 10)


def test_what_is_drawn_together_widens_the_interval() -> None:
    """Ten equal outputs about one story say no more than one does."""
    values = np.random.default_rng(2).normal(size=40)

    alone = mean(values, seed=3)
    together = mean(np.repeat(values, 10), clusters=np.repeat(np.arange(40), 10).tolist(), seed=3)

    assert together.se == pytest.approx(alone.se)
    assert (together.n, together.n_clusters) == (400, 40)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = list(range(30))

    assert mean(values, seed=5) == mean(values, seed=5)
    assert mean(values, seed=5) != mean(values, seed=6)


@pytest.mark.parametrize(
    ("parts", "wholes", "reason"), [([], None, NOTHING), ([0, 0], [0, 0], NO_WHOLE)]
)
def test_a_mean_of_nothing_says_so(
    parts: list[float], wholes: list[float] | None, reason: str
) -> None:
    found = mean(parts, wholes)

    assert (found.value, found.ci_low, found.undefined_reason) == (None, None, reason)


def test_one_cluster_has_no_interval() -> None:
    found = mean([1, 0], clusters=["a", "a"])

    assert (found.value, found.se, found.n_clusters) == (0.5, None, 1)


@pytest.mark.parametrize(("parts", "wholes"), [([0, 0, 0], None), ([1, 2, 3], [10, 20, 30])])
def test_what_does_not_vary_has_no_interval(parts: list[float], wholes: list[float] | None) -> None:
    """Of three outputs that are wrong, all are; of how many others would be, it says little."""
    found = mean(parts, wholes)

    assert (found.se, found.ci_low, found.ci_high, found.n) == (None, None, None, 3)


@pytest.mark.parametrize(
    ("parts", "wholes", "clusters"),
    [
        ([1, 2], [1], None),
        ([1, 2], None, ["a"]),
        ([float("nan")], None, None),
        ([1], [-1], None),
        ([[1]], None, None),
    ],
)
def test_numbers_that_do_not_fit_are_refused(
    parts: list[float], wholes: list[float] | None, clusters: list[str] | None
) -> None:
    with pytest.raises(ValueError, match=r"length|missing|negative"):
        mean(parts, wholes, clusters=clusters)


def test_one_resample_is_too_few() -> None:
    with pytest.raises(TooFewResamples):
        mean([1, 2], resamples=1)


def test_runs_with_other_seeds() -> None:
    found = spread([70, 72, 74])

    assert (found.mean, found.sd, found.n) == (72, 2, 3)
    assert spread([70]).sd is None
    assert spread([]).mean is None


def test_several_means_are_those_of_each_alone() -> None:
    random = np.random.default_rng(4)
    parts, wholes = random.random((50, 3)), random.random((50, 3)) + 1
    clusters = [place // 2 for place in range(50)]

    found = means(parts, wholes, clusters=clusters, seed=9)

    alone = [mean(parts[:, k], wholes[:, k], clusters=clusters, seed=9) for k in range(3)]
    assert [one.value for one in found] == pytest.approx([one.value for one in alone])
    assert {(one.n, one.n_clusters) for one in found} == {(50, 25)}
    assert [one.ci_high for one in found] == pytest.approx([one.ci_high for one in alone])
