import pytest

from annotation.models import Standing
from annotation.proficiency import changes
from annotation.proficiency.changes import changes_of, consequence, foresee
from annotation.review.outcome import Outcome
from studies.models import ContributionStatus
from tests.annotation.proficiency.work import make_workers

ACCEPTED, REJECTED = ContributionStatus.ACCEPTED, ContributionStatus.REJECTED


@pytest.mark.parametrize(
    ("standing", "becomes"),
    [
        (Standing.PROFICIENT, (ACCEPTED, ACCEPTED, REJECTED, None)),
        (Standing.NOT_PROFICIENT, (REJECTED, ACCEPTED, REJECTED, None)),
        (Standing.UNDECIDED, (None, None, None, None)),
    ],
)
def test_what_becomes_of_a_contribution_follows_from_standing_and_verdict(
    standing: Standing, becomes: tuple[ContributionStatus | None, ...]
) -> None:
    outcomes = (Outcome.OPEN, Outcome.CORRECT, Outcome.REJECTED, Outcome.DISPUTED)

    assert tuple(consequence(standing, outcome) for outcome in outcomes) == becomes


@pytest.mark.django_db
def test_what_applying_would_do_is_counted_with_its_cost() -> None:
    people = make_workers()

    foreseen = foresee(changes_of(people["able"].study))

    assert (foreseen.written, foreseen.granted, foreseen.withdrawn) == (3, 1, 0)
    # 19 of the able one, 4 that experts found correct of the careless one.
    assert (foreseen.accepted, foreseen.rejected) == (23, 17)
    assert (foreseen.approved, str(foreseen.cost_usd)) == (40, "16.80")


@pytest.mark.django_db
def test_a_worker_who_appears_meanwhile_waits_for_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their first response was confirmed between two of the queries."""
    study = make_workers()["able"].study
    monkeypatch.setattr(changes, "standings_of", lambda study, settled: [])

    assert changes_of(study) == []
