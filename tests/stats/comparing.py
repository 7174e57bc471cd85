"""Results of two ways that have to be the same."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from stats.agreement import (
    Agreement,
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
)

Coefficient = Callable[..., Agreement]
CORRECTED: dict[str, Coefficient] = {
    "percent_agreement": percent_agreement,
    "gwet_ac": gwet_ac,
    "fleiss_kappa": fleiss_kappa,
    "conger_kappa": conger_kappa,
    "brennan_prediger": brennan_prediger,
}
COEFFICIENTS: dict[str, Coefficient] = {**CORRECTED, "krippendorff_alpha": krippendorff_alpha}


def assert_same(one: Agreement, other: Agreement, *, but: tuple[str, ...] = ()) -> None:
    expected = {name: close_to(value) for name, value in asdict(other).items() if name not in but}
    assert {name: value for name, value in asdict(one).items() if name not in but} == expected


def close_to(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value
