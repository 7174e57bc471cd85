from typing import Any

import numpy as np
import pytest
from scipy.stats import poisson

from stats.agreement import CERTAIN, gwet_ac, krippendorff_alpha
from stats.bootstrap import bootstrap
from stats.choices import COEFFICIENT_NAMES
from stats.coefficients import named
from stats.patterns import Patterns
from stats.poisson import PoissonDraws
from stats.resampling import ItemDraws, TimesDraws, resample
from stats.statistic import ChanceCorrected, Parts
from tests.stats.comparing import COEFFICIENTS, assert_same, close_to

SCALE = (1, 2, 3, 4, 5)


def ratings_of(items: int, *, seed: int = 3, q: int = 5) -> Any:
    """Three raters, who mostly see the same; some ratings are missing."""
    rng = np.random.default_rng(seed)
    seen = rng.integers(1, q + 1, items)
    ratings = np.where(
        rng.random((items, 3)) < 0.7, seen[:, None], rng.integers(1, q + 1, (items, 3))
    )
    return np.where(rng.random(ratings.shape) < 0.05, np.nan, ratings)


@pytest.mark.parametrize("name", COEFFICIENT_NAMES)
@pytest.mark.parametrize("q", [5, 60])
def test_it_is_near_what_the_formula_says(name: str, q: int) -> None:
    """With 5 categories by patterns, with 60 by items."""
    ratings, scale = ratings_of(800, q=q), range(1, q + 1)

    found = bootstrap(name, ratings, categories=scale, weights="linear", resamples=400, seed=1)
    formula = COEFFICIENTS[name](ratings, categories=scale, weights="linear", se="delta")

    assert found.value == close_to(formula.value)
    assert formula.se is not None
    assert found.se == pytest.approx(formula.se, rel=0.15)
    assert found.ci_low == pytest.approx(formula.ci_low, abs=0.4 * formula.se)
    assert found.ci_high == pytest.approx(formula.ci_high, abs=0.4 * formula.se)
    assert "400 resamples, seed 1" in found.note


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_by_level_has_an_interval(level: Any) -> None:
    ratings = ratings_of(400)

    found = krippendorff_alpha(ratings, categories=SCALE, level=level, resamples=300, seed=5)
    again = krippendorff_alpha(ratings, categories=SCALE, level=level, resamples=300, seed=5)
    other = krippendorff_alpha(ratings, categories=SCALE, level=level, resamples=300, seed=6)

    assert found == again
    assert found.ci_low != other.ci_low
    assert found.value is not None and found.ci_low is not None and found.ci_high is not None
    assert found.ci_low < found.value < found.ci_high
    assert found.p_value == pytest.approx(2 / 301)


def test_every_resample_is_one_that_drawing_items_by_hand_would_give() -> None:
    """The sums of a resample give what its items, laid out again, give."""
    ratings = ratings_of(60)
    patterns = Patterns.of(ratings, SCALE)
    times = ItemDraws(patterns).draw(np.random.default_rng(0), 1)[0]
    laid_out = np.repeat(patterns.codes, times.astype(int), axis=0)
    drawn = np.where(laid_out < 0, np.nan, laid_out + 1.0)

    again = Patterns(patterns.codes, times, 5, 3, True)

    assert times.sum() == patterns.items
    assert_same(gwet_ac(drawn, categories=SCALE), _gwet_of(again), but=("note", "n_raters"))


def _gwet_of(patterns: Patterns) -> Any:
    from stats.summaries import by_formula

    return by_formula(named("gwet_ac", "identity", patterns, SCALE), "gwet", 0.95)


def test_patterns_are_drawn_as_often_as_their_items_would_be() -> None:
    ratings = np.random.default_rng(0).choice([1, 2], p=[0.8, 0.2], size=(500, 2))
    patterns = Patterns.of(ratings, (1, 2))

    for draws in (ItemDraws(patterns), TimesDraws(patterns)):
        times = draws.draw(np.random.default_rng(1), 4000)
        shares = patterns.times / 500
        assert (times.sum(axis=1) == 500).all()
        assert times.mean(axis=0) == pytest.approx(patterns.times, rel=0.02)
        assert np.cov(times.T) == pytest.approx(
            500 * (np.diag(shares) - np.outer(shares, shares)), abs=6
        )


@pytest.mark.parametrize("q", [5, 60])
def test_resamples_are_summed_some_hundred_at_once(q: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a thousand of them cost a few evaluations, not a thousand."""
    sizes: list[int] = []
    parts = ChanceCorrected.parts

    def counted(self: ChanceCorrected, sums: Any, n: Any) -> Parts:
        sizes.append(len(sums))
        return parts(self, sums, n)

    monkeypatch.setattr(ChanceCorrected, "parts", counted)
    bootstrap("gwet_ac", ratings_of(1000, q=q), categories=range(1, q + 1), resamples=1000)

    assert sum(sizes) == 1001
    assert len(sizes) < 30


def test_resamples_without_a_value_are_counted() -> None:
    ratings = [[1, 1], [1, 1], [1, 1], [2, 1]]

    found = bootstrap("fleiss_kappa", ratings, categories=(1, 2), resamples=200)

    assert found.value is not None and found.se is not None
    assert "had no value" in found.note


def test_an_undefined_value_has_no_interval() -> None:
    found = bootstrap("fleiss_kappa", [[1, 1], [1, 1]], categories=(1, 2))

    assert (found.value, found.ci_low, found.undefined_reason) == (None, None, CERTAIN)


def test_where_nothing_varies_there_is_no_p() -> None:
    found = bootstrap("gwet_ac", [[1, 1], [2, 2], [1, 1]], categories=(1, 2), resamples=50)

    assert (found.value, found.se, found.ci_low, found.p_value) == (1, 0, 1, None)


@pytest.mark.parametrize(
    ("name", "how", "words"),
    [("kappa", {}, "Known: percent_agreement"), ("gwet_ac", {"resamples": 1}, "at least two")],
)
def test_what_cannot_be_resampled_is_refused(name: str, how: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bootstrap(name, [[1, 1], [1, 2]], categories=(1, 2), **how)


@pytest.mark.parametrize("seed", range(8))
def test_resamples_are_as_many_as_were_asked_for(seed: int) -> None:
    """Also where all that were drawn at a time had too many items."""
    patterns = Patterns.of(ratings_of(1000, q=2), (1, 2))

    found = resample(named("conger_kappa", "identity", patterns, (1, 2)), resamples=2, seed=seed)

    assert len(found.values) == 2


@pytest.mark.parametrize("guided", [True, False])
def test_numbers_drawn_by_a_guide_are_poisson(
    guided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guided:
        monkeypatch.setattr("stats.poisson.MOST_MEANS", 0)
    means = np.array([0.3, 4.0, 77.5, 900.0])

    drawn = PoissonDraws(means).draw(np.random.default_rng(3), 20_000)

    k = np.arange(1200)[:, None]
    assert np.abs(_shares(drawn, len(k)) - poisson.cdf(k, means)).max() < 0.015
    assert abs(np.corrcoef(drawn.T) - np.eye(4)).max() < 0.03


def _shares(drawn: Any, most: int) -> Any:
    """How many are at k or below: (K, M)."""
    counted = [np.bincount(column, minlength=most) for column in drawn.T]
    return np.cumsum(counted, axis=1).T / len(drawn)
