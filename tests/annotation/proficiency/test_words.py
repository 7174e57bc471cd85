from decimal import Decimal

import pytest

from annotation.proficiency.rule import Evidence, ProficiencyRule
from annotation.proficiency.words import say_needed, say_outlook, say_rule, say_share

RULE = ProficiencyRule()


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Evidence(100, 30, 30, 6), ""),
        (Evidence(100, 30, 29, 0), "1 more review"),
        (Evidence(30, 9, 4, 4), "20 more responses, 5 more reviews"),
        (Evidence(49, 15, 15, 0), "1 more response"),
        (Evidence(100, 30, 28, 0, disputed=2), "2 disputes to settle"),
        (Evidence(100, 30, 28, 0, disputed=1), "1 more review, 1 dispute to settle"),
        (Evidence(100, 30, 30, 0, disputed=1), ""),
        (Evidence(100, 30, 30, 8), "8 rejected, 6 allowed"),
        (Evidence(9000, 2700, 1500, 0), "1,200 more reviews"),
        (Evidence(40, 12, 12, 3), "10 more responses, 3 rejected, 2 allowed"),
    ],
)
def test_what_is_still_needed_is_said_in_words(evidence: Evidence, words: str) -> None:
    assert say_needed(evidence, RULE) == words


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Evidence(100, 30, 20, 0), "still undecided"),
        (Evidence(100, 30, 30, 0), "proficient, whatever they find"),
        (Evidence(100, 30, 30, 6), "proficient with at most 1 of the 5 rejected"),
        (Evidence(100, 30, 25, 5), "proficient with at most 1 of the 5 rejected"),
        (Evidence(100, 30, 30, 20), "not proficient, whatever they find"),
        (Evidence(30, 9, 30, 0), "nothing is left to review"),
        (Evidence(100, 30, 25, 6), "proficient if none of the 5 is rejected"),
        (Evidence(100, 30, 25, 7), "not proficient, whatever they find"),
        (Evidence(0, 0, 0, 0, withdrew=True), ""),
    ],
)
def test_what_five_more_reviews_could_change_is_said_in_words(
    evidence: Evidence, words: str
) -> None:
    assert say_outlook(RULE.look_ahead(evidence, 5)) == words


def test_the_rule_is_said_with_its_own_numbers() -> None:
    rule = ProficiencyRule(min_responses=20, max_rejected_share=Decimal("0.125"))

    assert "At least 20 responses, and at most 12.5% rejected" in say_rule(rule)


def test_a_share_that_nothing_is_known_of_is_no_number() -> None:
    assert say_share(None) == "–"
    assert say_share(0.2) == "20%"
