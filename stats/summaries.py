"""A coefficient's value with what is known about it."""

from dataclasses import dataclass

import numpy as np

from stats.choices import StandardError
from stats.resampling import resample
from stats.results import CERTAIN, NO_CHOICE, NO_PAIR, ROUNDING, Agreement, Inference, t_inference
from stats.statistic import Linearised, Statistic

OVERSTATED = (
    "some items have a single rating: the published standard error is too large for them, "
    "the delta method's is not"
)


def by_formula(statistic: Linearised, se: StandardError, confidence: float) -> Agreement:
    """With a standard error by formula, t interval and p."""
    if se not in ("gwet", "delta"):
        raise ValueError(f"Unknown standard error “{se}”. Known: gwet, delta.")
    point = _Point.of(statistic)
    if point.value is None or point.expected is None:
        return point.agreement(Inference())
    inference, degrees = Inference(), statistic.degrees
    if degrees > 0 and statistic.patterns.q > 1:
        error = statistic.standard_error(point.value, point.expected, se)
        inference = t_inference(point.value, error, degrees=degrees, confidence=confidence)
    return point.agreement(inference, OVERSTATED if point.single_rated and se == "gwet" else "")


def by_bootstrap(
    statistic: Statistic,
    *,
    resamples: int,
    seed: int,
    confidence: float,
) -> Agreement:
    """With standard error, interval and p of a bootstrap, or none of them with no resamples."""
    point = _Point.of(statistic)
    if point.value is None or not resamples:
        return point.agreement(Inference())
    found = resample(statistic, resamples=resamples, seed=seed)
    return point.agreement(found.inference(confidence), found.describe())


@dataclass(frozen=True)
class _Point:
    """The value alone; `reason` where there is none."""

    statistic: Statistic
    value: float | None
    observed: float | None
    expected: float | None
    reason: str = ""

    @classmethod
    def of(cls, statistic: Statistic) -> "_Point":
        patterns = statistic.patterns
        sums = patterns.times @ statistic.features
        parts = statistic.parts(sums[None], np.array([patterns.items or np.nan]))
        observed, expected = _known(parts.observed[0]), _known(parts.expected[0])
        if patterns.q < 2 and statistic.needs_choice:
            return cls(statistic, None, observed, expected, NO_CHOICE)
        if observed is None or expected is None:
            return cls(statistic, None, observed, expected, NO_PAIR)
        if 1 - expected <= ROUNDING:
            return cls(statistic, None, observed, expected, CERTAIN)
        return cls(statistic, float(parts.values[0]), observed, expected)

    @property
    def single_rated(self) -> int:
        patterns = self.statistic.patterns
        return int(patterns.times @ (patterns.totals == 1))

    def agreement(self, inference: Inference, note: str = "") -> Agreement:
        patterns = self.statistic.patterns
        return Agreement(
            value=self.value,
            se=inference.se,
            ci_low=inference.ci_low,
            ci_high=inference.ci_high,
            p_value=inference.p_value,
            observed=self.observed,
            expected=self.expected,
            n_items=patterns.items,
            n_raters=patterns.raters,
            n_ratings=int(patterns.times @ patterns.totals),
            n_single_rated=self.single_rated,
            undefined_reason=self.reason,
            note=note,
        )


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
