from decimal import Decimal

import pytest

from studies.numbers import rounded


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.8499, 2, "0.85"),
        (66.667, 0, "67"),
        (Decimal("0.999"), 2, "1.00"),
        (-0.256, 1, "-0.3"),
        (-1e-17, 2, "0.00"),
    ],
)
def test_numbers_are_rounded_not_cut_off(value: float | Decimal, digits: int, shown: str) -> None:
    assert rounded(value, digits) == shown
