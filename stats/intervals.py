"""Confidence intervals of a share."""

from math import sqrt
from statistics import NormalDist


def wilson_interval(hits: int, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Where the share behind `hits` of `trials` lies; with no trial it can be anything: (0, 1).

    Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    Raises ValueError unless 0 <= hits <= trials.
    """
    if not 0 <= hits <= trials:
        raise ValueError(f"{hits} of {trials} is no share.")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = hits / trials
    middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z * sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2)) / (1 + z**2 / trials)
    # At the ends the formula is exact and the arithmetic is not.
    low = 0.0 if hits == 0 else middle - half
    high = 1.0 if hits == trials else middle + half
    return low, high
