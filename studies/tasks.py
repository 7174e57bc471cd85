"""Celery tasks: take ids, call one function. The rows hold the truth, the broker only wakes us."""

import logging
from importlib import import_module
from typing import Any, ParamSpec

from celery import shared_task
from celery.app.task import Task
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from studies import jobs, mturk
from studies.models import Job, Study
from studies.services import payments, qualification, settlement
from studies.services.republishing import publish_where_missing

# What sends the tasks below to the broker.
import_module(settings.TASK_APPLICATION)

logger = logging.getLogger(__name__)

P = ParamSpec("P")


def start_job(
    *, kind: str, study: Study | None = None, payload: dict[str, Any], user: Any = None
) -> Job:
    """Make a job's row and wake a worker for it once the transaction commits."""
    return wake(jobs.create_job(kind=kind, study=study, payload=payload, user=user))


def wake(job: Job) -> Job:
    send_on_commit(run_job, job.pk)
    return job


def send_on_commit(task: "Task[P, None]", *args: P.args, **kwargs: P.kwargs) -> None:
    """Send the task once its rows are committed. A broker that is away loses nothing: beat's
    `recover_jobs` and `settle_assignments` find the row."""

    def send() -> None:
        try:
            task.delay(*args, **kwargs)
        except OperationalError as error:
            logger.warning("%s%s waits for the broker: %s", task.name, args, error)

    transaction.on_commit(send)


@shared_task(name="studies.run_job")
def run_job(job_id: int) -> None:
    jobs.run(job_id)


@shared_task(name="studies.recover_jobs")
def recover_jobs() -> None:
    for job_id in jobs.recover():
        run_job.delay(job_id)


@shared_task(name="studies.confirm_response")
def confirm_response(assignment_id: int) -> None:
    """Ask the marketplace; when it does not answer, `settle_assignments` asks again."""
    try:
        settlement.confirm_response(assignment_id)
    except mturk.MarketplaceUnavailable as error:
        logger.warning("assignment %s not confirmed yet: %s", assignment_id, error)


@shared_task(name="studies.settle_assignments")
def settle_assignments() -> None:
    settlement.end_lapsed()
    for job in publish_where_missing():
        run_job.delay(job.pk)
    try:
        settlement.confirm_waiting()
        settlement.apply_holds()
        qualification.apply_qualifications()
        payments.send_payments()
    except mturk.MarketplaceUnavailable as error:
        logger.warning("not settled yet: %s", error)


@shared_task(name="studies.look_for_answers")
def look_for_answers() -> None:
    try:
        settlement.look_for_answers()
    except mturk.MarketplaceUnavailable as error:
        logger.warning("not all rejections asked about: %s", error)


@shared_task(name="studies.send_payments")
def send_payments() -> None:
    try:
        payments.send_payments()
    except mturk.MarketplaceUnavailable as error:
        logger.warning("payments not sent yet: %s", error)


@shared_task(name="studies.apply_qualifications")
def apply_qualifications() -> None:
    try:
        qualification.apply_qualifications()
    except mturk.MarketplaceUnavailable as error:
        logger.warning("qualifications not applied yet: %s", error)


@shared_task(name="studies.sync_hold")
def sync_hold(hold_id: int) -> None:
    try:
        settlement.sync_hold(hold_id)
    except mturk.MarketplaceUnavailable as error:
        logger.warning("hold %s not applied yet: %s", hold_id, error)
