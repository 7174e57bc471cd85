"""Workers' responses, and what experts said of the sample of them."""

from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Judgement, Pick, ReviewPlan, ReviewSource, Verdict
from annotation.review.drawing import top_up_samples
from annotation.review.plans import ensure_plan
from studies.models import Contribution, Participant, Round
from tests.studies.factories import make_participant, make_round, make_stories, make_study
from tests.studies_admin.responses import make_responses

# The rule asks for six reviews of twenty responses; one of six may be rejected.
TWENTY = 20
REJECTION = {"judgement": Judgement.REJECT, "step": 1, "reason": "not_inferable"}
PRAISE = {"judgement": Judgement.CORRECT, "grade": "correct"}


def make_reviewed_round(*, workers: int, **fields: Any) -> Round:
    """A round of a study in which twenty responses are enough, with room for so many workers."""
    study = make_study(**fields)
    make_stories(study, TWENTY)
    round = make_round(study, overlap=workers)
    plan = ensure_plan(study=study)
    ReviewPlan.objects.filter(pk=plan.pk).update(
        min_responses=TWENTY, max_rejected_share=Decimal("0.2"), double_share=0
    )
    return round


def work(round: Round, participant: Participant | None = None, count: int = TWENTY) -> Participant:
    """So many confirmed responses of one worker, a contribution each."""
    participant = participant or make_participant(round)
    Contribution.objects.bulk_create(
        Contribution(response=response, kind="state", content={})
        for response in make_responses(round, participant=participant, count=count)
    )
    return participant


def review(participant: Participant, *, wrong: int, left: int = 0) -> None:
    """Judge the worker's sample, `left` of it aside: so many are rejected, the others correct."""
    top_up_samples(plan=ReviewPlan.objects.get(study=participant.study_id))
    open_picks = Pick.objects.filter(
        contribution__response__assignment__participant=participant, contribution__verdicts=None
    ).order_by("pk")
    judged = list(open_picks.values_list("contribution", flat=True))
    Verdict.objects.bulk_create(
        _verdict(pk, correct=number >= wrong, source=ReviewSource.SAMPLE)
        for number, pk in enumerate(judged[: len(judged) - left])
    )


def judge(
    contribution: Contribution,
    *,
    correct: bool,
    source: ReviewSource = ReviewSource.SINGLE,
    by: str = "greta",
) -> None:
    _verdict(contribution.pk, correct=correct, source=source, by=by).save()


def _verdict(
    contribution: int, *, correct: bool, source: ReviewSource, by: str = "greta"
) -> Verdict:
    reviewer, _made = User.objects.get_or_create(username=by)
    said: dict[str, Any] = PRAISE if correct else REJECTION
    return Verdict(
        contribution_id=contribution,
        reviewer=reviewer,
        source=source,
        decided_at=timezone.now(),
        **said,
    )


def make_workers() -> dict[str, Participant]:
    """One who is proficient, one who is not, one whose sample is not complete."""
    round = make_reviewed_round(workers=3)
    people = {name: work(round) for name in ("able", "careless", "open")}
    review(people["able"], wrong=1)
    review(people["careless"], wrong=2)
    review(people["open"], wrong=0, left=2)
    return people


def statuses(participant: Participant) -> dict[str, int]:
    found: dict[str, int] = {}
    rows = Contribution.objects.filter(response__assignment__participant=participant)
    for status in rows.values_list("status", flat=True):
        found[status] = found.get(status, 0) + 1
    return found
