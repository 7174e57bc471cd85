"""Contributions that two experts judged differently, and who settles them."""

from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import Pick, ReviewPlan, ReviewSource, Turn, Verdict
from annotation.review.counted import counted_contributions, is_judged
from annotation.review.deciding import check, current_verdict, review_form_of, write_verdict
from annotation.review.outcome import Outcome, settle
from studies.models import Contribution


class HasJudged(Exception):
    """Not theirs to settle: they judged it, or it is settled, withdrawn or no longer disputed."""


def disputed(plan: ReviewPlan) -> QuerySet[Contribution]:
    """Judged differently by the sample's experts, or by those outside it where it is not sampled,
    and not settled yet. As `settle` says it, for all of them in one query."""
    settled = Verdict.objects.filter(
        contribution=OuterRef("pk"), source=ReviewSource.ADJUDICATION, replaced_at__isnull=True
    )
    differing = Q(pk__in=_differing(ReviewSource.SAMPLE)) | Q(
        pk__in=_differing(ReviewSource.SINGLE), pick__isnull=True
    )
    return counted_contributions(plan).filter(~Exists(settled), differing).order_by("pk")


def open_to(reviewer: Any, plan: ReviewPlan) -> QuerySet[Contribution]:
    """The disputed ones that this person has not judged."""
    judged = Verdict.objects.filter(reviewer=reviewer).values("contribution")
    return disputed(plan).exclude(pk__in=judged)


def settled_by(reviewer: Any, plan: ReviewPlan) -> QuerySet[Verdict]:
    """What this person settled, the latest first; they can settle it otherwise."""
    mine = Verdict.objects.filter(
        reviewer=reviewer, source=ReviewSource.ADJUDICATION, replaced_at__isnull=True
    )
    return mine.filter(contribution__in=counted_contributions(plan)).order_by("-decided_at")


def theirs_called(key: str, reviewer: Any, plan: ReviewPlan) -> int | None:
    """The contribution of that name, if this person can settle it or has settled it."""
    settled = settled_by(reviewer, plan).values_list("contribution", flat=True)
    ids = [*open_to(reviewer, plan).values_list("pk", flat=True), *settled]
    return next((pk for pk in ids if key_of(pk) == key), None)


def key_of(pk: int) -> str:
    """A name that does not tell, as a number would, when it was written."""
    return salted_hmac("annotation.adjudication", str(pk)).hexdigest()[:20]


def _differing(source: ReviewSource) -> QuerySet[Any, Any]:
    current = Verdict.objects.filter(source=source, replaced_at__isnull=True).order_by()
    judgements = current.values("contribution").annotate(n=Count("judgement", distinct=True))
    return judgements.filter(n__gt=1).values("contribution")


@transaction.atomic
def adjudicate(
    *,
    contribution: Contribution,
    reviewer: Any,
    judgement: str,
    grade: str = "",
    step: int | None = None,
    reason: str = "",
    remark: str = "",
) -> Verdict:
    """Settle it by the verdict of somebody who has not judged it; whoever settled it can change
    their verdict, and the earlier one is kept. Raises HasJudged and VerdictIncomplete."""
    contribution = (
        Contribution.objects.select_for_update(no_key=True, of=("self",))
        .select_related("response")
        .get(pk=contribution.pk)
    )
    before = current_verdict(reviewer=reviewer, contribution=contribution)
    _refuse_unless_theirs(contribution, before)
    said = check(
        review_form_of(contribution),
        judgement=judgement,
        grade=grade,
        step=step,
        reason=reason,
        remark=remark,
    )
    # Whatever of their own lay before them is no longer theirs to judge.
    Turn.objects.filter(contribution=contribution, reviewer=reviewer).delete()
    return write_verdict(
        contribution=contribution,
        reviewer=reviewer,
        source=ReviewSource.ADJUDICATION,
        said=said,
        before=before,
    )


def _refuse_unless_theirs(contribution: Contribution, before: Verdict | None) -> None:
    """Theirs is what is disputed and they have not judged, and what they settled `before`."""
    if before is None:
        is_theirs = _outcome(contribution) == Outcome.DISPUTED
    else:
        is_theirs = before.source == ReviewSource.ADJUDICATION
    if not is_theirs or not is_judged(contribution):
        raise HasJudged


def _outcome(contribution: Contribution) -> Outcome:
    given = Verdict.objects.filter(contribution=contribution, replaced_at__isnull=True)
    pick = Pick.objects.filter(contribution=contribution).first()
    return settle(given, experts=pick.experts if pick else 0).outcome
