"""Verdicts: given, changed, taken back; every one is kept."""

from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Judgement, Pick, ReviewSource, Turn, Verdict
from annotation.review.counted import is_judged
from studies import task_types
from studies.models import Contribution
from studies.task_types import ReviewForm


class NotYours(Exception):
    """The contribution is not before this expert, or it was withdrawn."""


class VerdictIncomplete(ValueError):
    """A choice is missing or is none of the task type's. `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True)
class Said:
    """What an expert says of a contribution."""

    judgement: Judgement
    grade: str = ""
    step: int | None = None
    reason: str = ""
    remark: str = ""


@transaction.atomic
def record_verdict(
    *,
    turn: Turn,
    judgement: str,
    grade: str = "",
    step: int | None = None,
    reason: str = "",
    remark: str = "",
    seconds: float | None = None,
) -> Verdict:
    """Keep what the expert whose turn it is says; it takes the place of what they said before.

    Of a turn outside the sample it takes a place in the sample where there is one. The same again
    changes nothing. Raises VerdictIncomplete, and NotYours when the turn has lapsed and gone to
    somebody else, or its contribution was withdrawn.
    """
    turn = _locked(turn)
    form = review_form_of(turn.contribution)
    said = check(form, judgement=judgement, grade=grade, step=step, reason=reason, remark=remark)
    before = current_verdict(reviewer=turn.reviewer, contribution=turn.contribution)
    if before is not None and before.source == ReviewSource.ADJUDICATION:
        raise NotYours
    if before is not None and _same(before, said):
        return before
    if turn.source == ReviewSource.SINGLE and free_places(turn).update(taken=F("taken") + 1):
        turn.source = ReviewSource.SAMPLE
    turn.done_at, turn.deferred_at = timezone.now(), None
    turn.save(update_fields=["source", "done_at", "deferred_at"])
    return write_verdict(
        contribution=turn.contribution,
        reviewer=turn.reviewer,
        source=ReviewSource(turn.source),
        said=said,
        before=before,
        seconds=seconds,
    )


@transaction.atomic
def undo_verdict(*, reviewer: Any, contribution: Contribution) -> Turn:
    """Take a verdict back: it is kept as replaced, the turn is open again. Raises NotYours."""
    turn = Turn.objects.filter(reviewer=reviewer, contribution=contribution).first()
    if turn is None:
        raise NotYours
    turn = _locked(turn)
    now = timezone.now()
    _replace(current_verdict(reviewer=reviewer, contribution=contribution), now)
    turn.done_at, turn.given_at = None, now
    turn.save(update_fields=["done_at", "given_at"])
    return turn


def free_places(turn: Turn) -> QuerySet[Pick]:
    """The contribution's pick, where the sample wants more experts than have it."""
    return Pick.objects.filter(contribution=turn.contribution_id, taken__lt=F("experts"))


def current_verdict(*, reviewer: Any, contribution: Contribution) -> Verdict | None:
    return Verdict.objects.filter(
        reviewer=reviewer, contribution=contribution, replaced_at__isnull=True
    ).first()


def review_form_of(contribution: Contribution) -> ReviewForm:
    form = task_types.get(contribution.response.task_type).review
    if form is None:
        raise NotYours
    return form


def check(
    form: ReviewForm, *, judgement: str, grade: str, step: int | None, reason: str, remark: str
) -> Said:
    """The verdict with nothing missing and nothing beside the point. Raises VerdictIncomplete."""
    if judgement == Judgement.CORRECT:
        if grade not in {one.slug for one in form.grades}:
            raise VerdictIncomplete("grade", _("Say how good it is."))
        return Said(Judgement.CORRECT, grade=grade, remark=remark.strip())
    if judgement != Judgement.REJECT:
        raise VerdictIncomplete("judgement", _("Say whether it is correct."))
    if step is None or step not in form.steps:
        raise VerdictIncomplete("step", _("Say which step is at fault."))
    if reason not in {one.slug for one in form.reasons_of(step)}:
        raise VerdictIncomplete("reason", _("Say what is wrong with that step."))
    if reason == ReviewForm.OTHER and not remark.strip():
        raise VerdictIncomplete("remark", _("Say in your own words what is wrong."))
    return Said(Judgement.REJECT, step=step, reason=reason, remark=remark.strip())


def write_verdict(
    *,
    contribution: Contribution,
    reviewer: Any,
    source: ReviewSource,
    said: Said,
    before: Verdict | None,
    seconds: float | None = None,
) -> Verdict:
    """Add a verdict in the place of the one `before`, if there is any; the same again adds none."""
    if before is not None and _same(before, said):
        return before
    now = timezone.now()
    _replace(before, now)
    return Verdict.objects.create(
        contribution=contribution,
        reviewer=reviewer,
        source=source,
        seconds=seconds,
        decided_at=now,
        **asdict(said),
    )


def _locked(turn: Turn) -> Turn:
    found = (
        Turn.objects.select_for_update(of=("self",))
        .select_related("contribution__response", "reviewer")
        .filter(pk=turn.pk)
        .first()
    )
    if found is None or not is_judged(found.contribution):
        raise NotYours
    return found


def _same(verdict: Verdict, said: Said) -> bool:
    kept = (verdict.judgement, verdict.grade, verdict.step, verdict.reason, verdict.remark)
    return kept == (said.judgement, said.grade, said.step, said.reason, said.remark)


def _replace(verdict: Verdict | None, now: Any) -> None:
    if verdict is not None:
        Verdict.objects.filter(pk=verdict.pk).update(replaced_at=now)
