import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Standing
from annotation.proficiency.rule import Evidence, Outlook, ProficiencyRule


@pytest.mark.parametrize(
    ("submitted", "required", "reviewed", "rejected", "standing"),
    [
        (100, 30, 29, 0, Standing.UNDECIDED),
        (100, 30, 30, 6, Standing.PROFICIENT),
        (100, 30, 30, 7, Standing.NOT_PROFICIENT),
        (50, 15, 15, 3, Standing.PROFICIENT),
        (49, 15, 15, 0, Standing.NOT_PROFICIENT),
        (0, 0, 0, 0, Standing.NOT_PROFICIENT),
    ],
)
def test_the_rule_of_the_published_study(
    submitted: int, required: int, reviewed: int, rejected: int, standing: Standing
) -> None:
    evidence = Evidence(submitted, required, reviewed, rejected)

    assert ProficiencyRule().judge(evidence) == standing


def test_a_share_is_compared_exactly() -> None:
    """0.2 * 15 is more than 3 in floats; 3 of 15 is a fifth."""
    assert ProficiencyRule().judge(Evidence(60, 15, 15, 3)) == Standing.PROFICIENT
    assert ProficiencyRule().judge(Evidence(60, 16, 16, 4)) == Standing.NOT_PROFICIENT


def test_further_reviews_can_change_a_standing() -> None:
    look = ProficiencyRule().look_ahead
    both = {Standing.PROFICIENT, Standing.NOT_PROFICIENT}

    assert look(Evidence(100, 30, 30, 6), 1) == Outlook(1, frozenset(both), 0)
    assert look(Evidence(100, 30, 30, 7), 5) == Outlook(5, frozenset(both), 0)
    assert look(Evidence(100, 30, 30, 0), 5) == Outlook(5, frozenset({Standing.PROFICIENT}), 5)
    assert look(Evidence(100, 30, 20, 4), 10) == Outlook(10, frozenset(both), 2)
    assert look(Evidence(100, 30, 20, 0), 5) == Outlook(5, frozenset({Standing.UNDECIDED}), None)


def test_no_more_can_be_reviewed_than_there_is() -> None:
    ahead = ProficiencyRule().look_ahead(Evidence(60, 18, 58, 11), 10)

    assert ahead == Outlook(2, frozenset({Standing.PROFICIENT, Standing.NOT_PROFICIENT}), 1)


def test_nothing_reviewed_has_no_share_and_an_open_interval() -> None:
    evidence = Evidence(10, 3, 0, 0)

    assert evidence.rejected_share is None
    assert evidence.interval == (0.0, 1.0)


@given(st.integers(50, 300), st.integers(1, 60), st.data())
def test_more_rejections_never_help(submitted: int, reviewed: int, data: st.DataObject) -> None:
    rejected = data.draw(st.integers(0, reviewed - 1))
    rule = ProficiencyRule()
    before = rule.judge(Evidence(submitted, reviewed, reviewed, rejected))
    after = rule.judge(Evidence(submitted, reviewed, reviewed, rejected + 1))

    assert not (before == Standing.NOT_PROFICIENT and after == Standing.PROFICIENT)
