"""What a coefficient came to, its interval and its test."""

from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

NO_PAIR = "no item has two ratings"
NO_CHOICE = "the scale has a single category, so chance alone agrees always"
CERTAIN = "agreement by chance is certain for these ratings"


# What differs by less is the same.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Agreement:
    """A coefficient over n items.

    `value` is None where it is undefined; `undefined_reason` says why. Standard error, interval and
    p are None where they are: with one item or one category, or (p) where nothing varies.
    `observed` and `expected` are shares of agreement, weighted. Items without a rating and raters
    without one are not counted. `n_single_rated` items have one rating; `note` says what else to
    know of the standard error.
    """

    value: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    observed: float | None
    expected: float | None
    n_items: int
    n_raters: int
    n_ratings: int
    n_single_rated: int
    undefined_reason: str = ""
    note: str = ""


@dataclass(frozen=True)
class Inference:
    """What is known of a value beside itself; None where it is not."""

    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p_value: float | None = None


def t_inference(value: float, se: float, *, degrees: int, confidence: float) -> Inference:
    """t interval cut off at 1, and two-sided p of a value of 0."""
    if se < ROUNDING:
        return Inference(0.0, value, value)
    half = se * float(stdtrit(degrees, (1 + confidence) / 2))
    p = 2 * float(stdtr(degrees, -abs(value) / se))
    return Inference(se, value - half, min(1.0, value + half), p)
