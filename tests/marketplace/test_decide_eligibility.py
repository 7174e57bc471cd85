"""Which requirements a worker meets, and the sentence for those not met. No database."""

import pytest

from marketplace.eligibility import (
    APPROVAL_RATE,
    APPROVED_COUNT,
    LOCALE,
    Requirement,
    WorkerFacts,
    unmet_requirements,
)

OWN = "3OWNQUALIFICATION"


def is_open(requirement: Requirement, facts: WorkerFacts) -> bool:
    return not unmet_requirements([requirement], facts)


def reason(requirement: Requirement, facts: WorkerFacts) -> str:
    (unmet,) = unmet_requirements([requirement], facts)
    return unmet.sentence


@pytest.mark.parametrize(
    ("comparator", "values", "met_by", "not_met_by"),
    [
        ("LessThan", (5,), [4, -1], [5, 6]),
        ("LessThanOrEqualTo", (5,), [4, 5], [6]),
        ("GreaterThan", (5,), [6], [5, 4]),
        ("GreaterThanOrEqualTo", (5,), [5, 6], [4]),
        ("EqualTo", (5,), [5], [4, 6]),
        ("NotEqualTo", (5,), [4, 6], [5]),
        ("In", (5, 7), [5, 7], [6]),
        ("NotIn", (5, 7), [6], [5, 7]),
        ("Exists", (), [0, 5], [None]),
        ("DoesNotExist", (), [None], [0, 5]),
    ],
)
def test_a_value_is_compared_as_the_comparator_says(
    comparator: str,
    values: tuple[int, ...],
    met_by: list[int | None],
    not_met_by: list[int | None],
) -> None:
    requirement = Requirement(OWN, comparator, values)

    def facts(value: int | None) -> WorkerFacts:
        return WorkerFacts(qualifications={} if value is None else {OWN: value})

    assert [v for v in met_by if not is_open(requirement, facts(v))] == []
    assert [v for v in not_met_by if is_open(requirement, facts(v))] == []


@pytest.mark.parametrize(
    "comparator", ["LessThan", "GreaterThan", "EqualTo", "NotEqualTo", "In", "NotIn"]
)
def test_without_the_qualification_no_comparison_holds(comparator: str) -> None:
    assert not is_open(Requirement(OWN, comparator, (5,)), WorkerFacts())


@pytest.mark.parametrize(
    ("comparator", "places", "met_by", "not_met_by"),
    [
        ("EqualTo", ("US",), [("US", ""), ("US", "CA")], [("CA", ""), ("", "")]),
        ("EqualTo", ("US-CA",), [("US", "CA")], [("US", ""), ("US", "NY"), ("CA", "")]),
        ("NotEqualTo", ("US",), [("CA", "")], [("US", "NY"), ("", "")]),
        ("In", ("US", "CA"), [("US", ""), ("CA", "ON")], [("GB", "")]),
        ("NotIn", ("US", "CA"), [("GB", "")], [("US", ""), ("CA", "ON"), ("", "")]),
        ("NotIn", ("US-CA",), [("US", "NY"), ("GB", "")], [("US", "CA")]),
        ("Exists", (), [("GB", "")], [("", "")]),
        ("DoesNotExist", (), [("", "")], [("GB", "")]),
    ],
)
def test_a_place_is_compared_by_country_and_subdivision(
    comparator: str,
    places: tuple[str, ...],
    met_by: list[tuple[str, str]],
    not_met_by: list[tuple[str, str]],
) -> None:
    requirement = Requirement(LOCALE, comparator, (), places)

    def facts(place: tuple[str, str]) -> WorkerFacts:
        return WorkerFacts(country=place[0], subdivision=place[1])

    assert [p for p in met_by if not is_open(requirement, facts(p))] == []
    assert [p for p in not_met_by if is_open(requirement, facts(p))] == []


@pytest.mark.parametrize(
    ("approved", "rejected", "rate"),
    [(0, 0, 100), (50, 49, 100), (50, 50, 50), (979, 21, 97), (98, 2, 98), (0, 100, 0)],
)
def test_the_approval_rate_counts_from_a_hundred_decisions(
    approved: int, rejected: int, rate: int
) -> None:
    assert WorkerFacts(approved=approved, rejected=rejected).approval_rate == rate


def test_the_published_first_stage_is_open_to_the_experienced_only() -> None:
    stage = [
        Requirement(APPROVED_COUNT, "GreaterThanOrEqualTo", (5000,)),
        Requirement(APPROVAL_RATE, "GreaterThanOrEqualTo", (98,)),
        Requirement(LOCALE, "In", (), ("US", "CA")),
    ]

    assert not unmet_requirements(stage, WorkerFacts(5000, 100, "CA"))
    unmet = unmet_requirements(stage, WorkerFacts(4900, 300, "DE"))
    assert [u.requirement for u in unmet] == stage


@pytest.mark.parametrize(
    ("requirement", "facts", "sentence"),
    [
        (
            Requirement(APPROVED_COUNT, "GreaterThanOrEqualTo", (5000,)),
            WorkerFacts(approved=12),
            "For workers with at least 5,000 approved tasks; you have 12.",
        ),
        (
            Requirement(APPROVED_COUNT, "LessThan", (1,)),
            WorkerFacts(approved=3),
            "For workers with fewer than 1 approved task; you have 3.",
        ),
        (
            Requirement(APPROVAL_RATE, "GreaterThanOrEqualTo", (98,)),
            WorkerFacts(approved=90, rejected=10),
            "For workers with an approval rate of at least 98 percent; yours is 90.",
        ),
        (
            Requirement(LOCALE, "In", (), ("US", "CA", "GB")),
            WorkerFacts(country="DE"),
            "For workers in US, CA or GB; you are in DE.",
        ),
        (
            Requirement(LOCALE, "EqualTo", (), ("US",)),
            WorkerFacts(),
            "For workers in US; your country is not known here.",
        ),
        (
            Requirement(LOCALE, "NotIn", (), ("US",)),
            WorkerFacts(country="US"),
            "For workers outside US.",
        ),
        (
            Requirement(OWN, "Exists", name="Careful reader"),
            WorkerFacts(),
            "For workers with the qualification “Careful reader”; you do not have it.",
        ),
        (
            Requirement(OWN, "DoesNotExist", name="Took round 1"),
            WorkerFacts(qualifications={OWN: 1}),
            "For workers without the qualification “Took round 1”; you have it.",
        ),
        (
            Requirement(OWN, "GreaterThan", (80,), name="Careful reader"),
            WorkerFacts(qualifications={OWN: 70}),
            "For workers whose “Careful reader” is more than 80; yours is 70.",
        ),
    ],
)
def test_what_is_not_met_is_said_plainly(
    requirement: Requirement, facts: WorkerFacts, sentence: str
) -> None:
    assert reason(requirement, facts) == sentence


@pytest.mark.parametrize("qualification", [APPROVED_COUNT, APPROVAL_RATE, OWN, LOCALE])
@pytest.mark.parametrize(
    "comparator", ["LessThan", "NotEqualTo", "In", "NotIn", "Exists", "DoesNotExist"]
)
def test_every_refusal_has_a_sentence(qualification: str, comparator: str) -> None:
    is_locale = qualification == LOCALE
    requirement = Requirement(
        qualification, comparator, () if is_locale else (0,), ("US",) if is_locale else ()
    )

    for facts in (
        WorkerFacts(),
        WorkerFacts(200, 200, "US", "", {OWN: 0}),
        WorkerFacts(0, 0, "GB", "", {OWN: 7}),
    ):
        for unmet in unmet_requirements([requirement], facts):
            assert unmet.sentence.endswith(".")
            assert "%(" not in unmet.sentence
