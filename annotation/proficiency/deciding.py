"""Applying the standings: a job that can be killed anywhere and run again."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Decision, Standing
from annotation.proficiency.changes import LOSING, WorkerChange, changes_of
from annotation.proficiency.rule import ProficiencyRule
from annotation.review.plans import ensure_plan, proficiency_rule
from studies import mturk
from studies.jobs import JobContext, JobLater, create_job, handles
from studies.locks import alone
from studies.models import (
    Assignment,
    Contribution,
    ContributionStatus,
    Job,
    Participant,
    Payment,
    PaymentKind,
    PaymentState,
    Study,
)
from studies.services import payments, qualification

KIND = "apply_standings"
LOCK_SPACE = 4202
DECIDABLE = (
    ContributionStatus.PENDING,
    ContributionStatus.ACCEPTED,
    ContributionStatus.REJECTED,
)


def apply_standings(*, study: Study, user: Any = None) -> Job:
    """The job that applies them, to be woken or run."""
    return create_job(kind=KIND, study=study, payload={}, user=user)


@handles(KIND, name=gettext_lazy("Apply the standings"))
def run(job: JobContext) -> None:
    """First our rows, worker by worker, then the marketplace is told what they wish for."""
    study = job.job.study
    assert study is not None
    busy = _("Another job is applying the standings of this study.")
    with alone(LOCK_SPACE, study.pk, otherwise=busy):
        changes = changes_of(study)
        total = len(changes) + _untold(study) + sum(change.to_tell for change in changes)
        rule = proficiency_rule(ensure_plan(study=study))
        for done, change in enumerate(changes, 1):
            apply_change(change=change, rule=rule, user=job.job.requested_by)
            job.progress(done, total, _("Deciding on workers"))
        try:
            _tell_marketplace(job, study, total)
        except mturk.MarketplaceUnavailable as error:
            raise JobLater(str(error), seconds=20) from error


@transaction.atomic
def apply_change(*, change: WorkerChange, rule: ProficiencyRule, user: Any = None) -> None:
    """Write down one worker's standing and wish for what follows from it; repeating it is safe."""
    worker = change.worker
    participant = Participant.objects.select_for_update(no_key=True).get(pk=worker.participant.pk)
    _write_down(change, rule, user)
    if worker.standing == Standing.PROFICIENT:
        qualification.grant_qualification(participants=[participant])
    elif worker.standing in LOSING:
        qualification.withdraw_qualification(participants=[participant])
    _set_status(change.accept, ContributionStatus.ACCEPTED)
    _set_status(change.reject, ContributionStatus.REJECTED)
    if change.approve:
        payments.decide_payment(
            assignments=Assignment.objects.filter(pk__in=change.approve),
            kind=PaymentKind.APPROVE,
            user=user,
        )


def _write_down(change: WorkerChange, rule: ProficiencyRule, user: Any) -> None:
    worker, evidence = change.worker, change.worker.evidence.as_dict()
    last = Decision.objects.filter(participant=worker.participant).order_by("-pk").first()
    if last is None or (last.standing, last.evidence) != (worker.standing, evidence):
        Decision.objects.create(
            participant=worker.participant,
            standing=worker.standing,
            rule={
                "min_responses": rule.min_responses,
                "max_rejected_share": str(rule.max_rejected_share),
            },
            evidence=evidence,
            decided_by=user,
        )


def _set_status(contributions: Iterable[int], status: ContributionStatus) -> None:
    """What was replaced or withdrawn meanwhile stays so."""
    Contribution.objects.filter(pk__in=contributions, status__in=DECIDABLE).update(status=status)


def _tell_marketplace(job: JobContext, study: Study, total: int) -> None:
    message = _("Telling the marketplace")
    while qualification.apply_qualifications():
        job.progress(max(0, total - _untold(study)), total, message)
    while _unsent(study).exists():
        payments.send_payments()
        job.progress(max(0, total - _untold(study)), total, message)
    job.progress(total, total, message)


def _unsent(study: Study) -> QuerySet[Payment]:
    return Payment.objects.filter(assignment__task__round__study=study, state=PaymentState.WANTED)


def _untold(study: Study) -> int:
    due = Participant.objects.filter(study=study, qualification_applied=False)
    return due.count() + _unsent(study).count()
