import pytest
from django.utils import timezone

from annotation.models import Judgement, ReviewSource, Verdict
from annotation.review.outcome import Outcome, settle

SAMPLE, POOL = ReviewSource.SAMPLE, ReviewSource.POOL
SINGLE, ADJUDICATION = ReviewSource.SINGLE, ReviewSource.ADJUDICATION
YES, NO = Judgement.CORRECT, Judgement.REJECT


def verdict(source: ReviewSource, judgement: Judgement, *, replaced: bool = False) -> Verdict:
    return Verdict(
        source=source, judgement=judgement, replaced_at=timezone.now() if replaced else None
    )


@pytest.mark.parametrize(
    ("given", "experts", "outcome"),
    [
        ([], 1, Outcome.OPEN),
        ([(SAMPLE, YES)], 1, Outcome.CORRECT),
        ([(SAMPLE, NO)], 1, Outcome.REJECTED),
        ([(SAMPLE, YES)], 2, Outcome.OPEN),
        ([(SAMPLE, YES), (SAMPLE, YES)], 2, Outcome.CORRECT),
        ([(SAMPLE, YES), (SAMPLE, NO)], 2, Outcome.DISPUTED),
        ([(SAMPLE, YES), (SAMPLE, NO), (ADJUDICATION, NO)], 2, Outcome.REJECTED),
        ([(SAMPLE, YES), (POOL, NO)], 1, Outcome.CORRECT),
        ([(POOL, NO)], 1, Outcome.OPEN),
        ([(SINGLE, YES)], 0, Outcome.CORRECT),
        ([(SINGLE, YES), (SINGLE, NO)], 0, Outcome.DISPUTED),
        ([(SINGLE, YES)], 1, Outcome.OPEN),
    ],
)
def test_what_stands(
    given: list[tuple[ReviewSource, Judgement]], experts: int, outcome: Outcome
) -> None:
    settled = settle([verdict(*one) for one in given], experts=experts)

    assert settled.outcome == outcome
    assert settled.sampled == (experts > 0)


def test_a_replaced_verdict_counts_for_nothing() -> None:
    given = [verdict(SAMPLE, YES, replaced=True), verdict(SAMPLE, NO)]

    assert settle(given, experts=1).outcome == Outcome.REJECTED
    assert settle(given[:1], experts=1).outcome == Outcome.OPEN
