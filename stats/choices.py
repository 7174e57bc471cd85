"""What can be chosen of the calculations, for those who ask before they calculate: the other
modules load numpy and scipy, which takes a fifth of a process's start."""

from typing import Literal

ALPHA = "krippendorff_alpha"
COEFFICIENT_NAMES = (
    "percent_agreement",
    "gwet_ac",
    "fleiss_kappa",
    "conger_kappa",
    "brennan_prediger",
    ALPHA,
)
WEIGHTS = (
    "identity",
    "quadratic",
    "linear",
    "ordinal",
    "radical",
    "ratio",
    "circular",
    "bipolar",
)
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
StandardError = Literal["gwet", "delta"]
STANDARD_ERRORS: tuple[StandardError, ...] = ("gwet", "delta")
