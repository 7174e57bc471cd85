"""Cases worked out by several programs, with what those found who agree."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stats.agreement import Agreement
from stats.ratings import ContingencyTable, CountTable, Ratings
from tests.stats.comparing import COEFFICIENTS, close_to

KEYS = {
    "value": "value",
    "se": "se",
    "ci_low": "ci_low",
    "ci_high": "ci_high",
    "p_value": "p",
    "observed": "pa",
    "expected": "pe",
}
TABLES: dict[str, Callable[[Any], Ratings]] = {"dist": CountTable, "table": ContingencyTable}

pytestmark = pytest.mark.shared_data


@pytest.fixture
def cases(shared_data: Path) -> list[dict[str, Any]]:
    reference = json.loads((shared_data / "agreement" / "agreement_reference.json").read_text())
    found: list[dict[str, Any]] = reference["cases"]
    assert len(found) == 46
    return found


def expectations(cases: list[dict[str, Any]], kind: str) -> Iterator[tuple[Any, Any]]:
    """Cases with what is expected of a coefficient by weights, or by a level of measurement."""
    return ((case, found) for case in cases for found in case["expected"] if kind in found)


def test_values_errors_intervals_and_p_come_out(cases: list[dict[str, Any]]) -> None:
    seen = 0
    for case, expected in expectations(cases, "weights"):
        found = of(case["ratings"], case, expected)
        assert_equals(found, expected, case)
        seen += 1
    assert seen == 1088


def test_standard_errors_by_the_delta_method_come_out(cases: list[dict[str, Any]]) -> None:
    seen = 0
    for case, expected in expectations(cases, "weights"):
        found = of(case["ratings"], case, expected, se="delta")
        # The reference differentiates numerically; with one item it gives 0, we give none.
        if found.se is not None:
            assert found.se == pytest.approx(expected["se_delta"], rel=1e-8, abs=1e-8), case["name"]
            seen += 1
    assert seen > 1000


def test_alpha_by_level_of_measurement_comes_out(cases: list[dict[str, Any]]) -> None:
    seen = 0
    for case, expected in expectations(cases, "metric"):
        found = COEFFICIENTS["krippendorff_alpha"](
            case["ratings"], categories=case["categories"], level=expected["metric"], resamples=0
        )
        assert found.value == close_to(expected["value"]), case["name"]
        assert bool(found.undefined_reason) == expected.get("undefined", False), case["name"]
        seen += 1
    assert seen == 160


def test_tables_that_count_come_out_as_the_ratings_they_count(cases: list[dict[str, Any]]) -> None:
    seen = 0
    for case, expected in expectations(cases, "weights"):
        raters_needed = expected["coefficient"] == "conger_kappa"
        if case["input_type"] == "raw" or (case["input_type"] == "dist" and raters_needed):
            continue
        table = TABLES[case["input_type"]](case["counts_or_table"])
        assert_equals(of(table, case, expected), expected, case)
        seen += 1
    assert seen > 200


def of(ratings: Ratings, case: dict[str, Any], expected: dict[str, Any], **how: Any) -> Agreement:
    return COEFFICIENTS[expected["coefficient"]](
        ratings, categories=case["categories"], weights=expected["weights"], **how
    )


def assert_equals(found: Agreement, expected: dict[str, Any], case: dict[str, Any]) -> None:
    where = f"{case['name']}, {expected['coefficient']}, {expected['weights']}"
    assert bool(found.undefined_reason) == expected.get("undefined", False), where
    for name, key in KEYS.items():
        assert getattr(found, name) == close_to(expected[key]), f"{where}: {name}"
