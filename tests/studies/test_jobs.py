"""A job's row is the truth: claimed once, renewed, recovered, stopped, failed in words."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from django.utils import timezone

from studies import job_lease, jobs
from studies.jobs import JobContext, JobFailure, JobLater, create_job
from studies.models import Job, JobState

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, jobs.Handler]]:
    known: dict[str, jobs.Handler] = {}
    monkeypatch.setattr(jobs, "_handlers", known)
    monkeypatch.setattr(jobs, "REPORT_EVERY_SECONDS", 0.0)
    yield known


def make_job(handlers: dict[str, jobs.Handler], handler: jobs.Handler) -> Job:
    handlers["test"] = handler
    return create_job(kind="test", payload={"n": 3})


def test_a_job_runs_once_however_often_the_broker_delivers_it(
    handlers: dict[str, jobs.Handler],
) -> None:
    runs: list[int] = []
    job = make_job(handlers, lambda context: runs.append(context.payload["n"]))

    first, second = jobs.run(job.pk), jobs.run(job.pk)

    assert runs == [3]
    assert first is not None and first.state == JobState.DONE
    assert second is None


def test_progress_and_result_are_on_the_row(handlers: dict[str, jobs.Handler]) -> None:
    def work(context: JobContext) -> None:
        context.progress(1, 2, "Half way")
        row = Job.objects.get(pk=context.job.pk)
        assert (row.done, row.total, row.message) == (1, 2, "Half way")
        context.result({"added": 7})

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None and job.result == {"added": 7}


def test_a_failure_is_a_sentence(handlers: dict[str, jobs.Handler]) -> None:
    def work(context: JobContext) -> None:
        raise JobFailure("The file is empty.")

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None
    assert (job.state, job.error) == (JobState.FAILED, "The file is empty.")


def test_characters_that_cannot_be_stored_are_replaced_in_all_that_a_job_says(
    handlers: dict[str, jobs.Handler],
) -> None:
    def work(context: JobContext) -> None:
        context.progress(1, 2, "Half\0 way")
        assert Job.objects.get(pk=context.job.pk).message == "Half\ufffd way"
        context.result({"unused\0": ["\ud800", 7]})
        raise JobFailure("Row 3 holds \0.")

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None
    assert (job.state, job.error) == (JobState.FAILED, "Row 3 holds \ufffd.")
    assert job.result == {"unused\ufffd": ["\ufffd", 7]}


def test_a_job_whose_result_cannot_be_stored_ends_without_it(
    handlers: dict[str, jobs.Handler],
) -> None:
    def work(context: JobContext) -> None:
        context.result({"share": float("nan")})
        raise JobFailure("The file is empty.")

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None
    assert (job.state, job.error, job.result) == (JobState.FAILED, "The file is empty.", {})


@pytest.mark.django_db(transaction=True)
def test_a_job_that_ended_well_with_such_a_result_says_so_once(
    handlers: dict[str, jobs.Handler], caplog: pytest.LogCaptureFixture
) -> None:
    job = jobs.run(make_job(handlers, lambda context: context.result({"x": float("nan")})).pk)

    assert job is not None and (job.state, job.result) == (JobState.FAILED, {})
    assert "The details are in the log" in job.error
    assert "cannot be stored" in caplog.text


def test_an_unexpected_failure_shows_no_trace_to_the_person(
    handlers: dict[str, jobs.Handler], caplog: pytest.LogCaptureFixture
) -> None:
    def work(context: JobContext) -> None:
        raise KeyError("secret detail")

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None and job.state == JobState.FAILED
    assert "secret detail" not in job.error
    assert "secret detail" in caplog.text


def test_a_running_job_stops_at_its_next_step_when_asked(
    handlers: dict[str, jobs.Handler],
) -> None:
    def work(context: JobContext) -> None:
        jobs.request_cancel(context.job)
        context.progress(1, 2)
        raise AssertionError("it went on")

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None and job.state == JobState.CANCELLED


def test_a_waiting_job_stops_at_once(handlers: dict[str, jobs.Handler]) -> None:
    job = make_job(handlers, lambda context: None)

    jobs.request_cancel(job)

    assert jobs.run(job.pk) is None
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_a_job_whose_process_is_gone_is_queued_again(handlers: dict[str, jobs.Handler]) -> None:
    job = make_job(handlers, lambda context: None)
    jobs.claim(job.pk)
    long_ago = timezone.now() - timedelta(minutes=5)
    Job.objects.update(lease_until=long_ago, created_at=long_ago)

    assert jobs.recover() == [job.pk]

    again = jobs.run(job.pk)
    assert again is not None and (again.state, again.attempts) == (JobState.DONE, 2)


def test_a_job_that_keeps_killing_its_process_is_given_up(
    handlers: dict[str, jobs.Handler],
) -> None:
    job = make_job(handlers, lambda context: None)
    jobs.claim(job.pk)
    Job.objects.update(
        lease_until=timezone.now() - timedelta(minutes=5), attempts=jobs.MAX_ATTEMPTS
    )

    assert jobs.recover() == []

    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert f"{jobs.MAX_ATTEMPTS} times" in job.error


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_host_whose_clock_is_wrong_takes_no_job_from_its_process(
    minutes: int, handlers: dict[str, jobs.Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(handlers, lambda context: None)
    jobs.claim(job.pk)

    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(minutes=minutes))

    assert jobs.recover() == []
    job.refresh_from_db()
    assert job.state == JobState.RUNNING


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_lease_is_as_long_whatever_the_clock_of_its_host_says(
    minutes: int, handlers: dict[str, jobs.Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(handlers, lambda context: context.progress(1, 2))
    true = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: true + timedelta(minutes=minutes))

    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.lease_until is not None
    assert abs(job.lease_until - true - job_lease.LEASE) < timedelta(seconds=30)


def test_a_job_of_a_newer_version_is_left_to_workers_that_know_it(
    handlers: dict[str, jobs.Handler],
) -> None:
    job = make_job(handlers, lambda context: None)
    newer = handlers.pop("test")

    left = jobs.run(job.pk)

    assert left is not None and (left.state, left.attempts) == (JobState.QUEUED, 0)
    assert "another version" in left.message
    handlers["test"] = newer
    Job.objects.update(lease_until=None)
    done = jobs.run(job.pk)
    assert done is not None and done.state == JobState.DONE


def test_a_process_that_lost_its_lease_leaves_the_row_alone(
    handlers: dict[str, jobs.Handler],
) -> None:
    def work(context: JobContext) -> None:
        Job.objects.update(state=JobState.QUEUED, lease_token=None, lease_until=None)
        other = jobs.claim(context.job.pk)
        assert other is not None
        context.progress(1, 2)

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None and job.state == JobState.RUNNING


def test_a_job_that_cannot_go_on_now_waits_and_does_not_use_up_attempts(
    handlers: dict[str, jobs.Handler],
) -> None:
    def work(context: JobContext) -> None:
        raise JobLater("The marketplace does not answer.", seconds=60)

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None
    assert (job.state, job.attempts) == (JobState.QUEUED, 0)
    assert job.message == "The marketplace does not answer."
    assert jobs.run(job.pk) is None


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_outlives_a_moment_without_the_database(
    handlers: dict[str, jobs.Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_lease, "HEARTBEAT_SECONDS", 0.05)
    beats: list[str] = []
    now = Now

    def now_or_not() -> Now:
        if threading.current_thread().name.endswith("heartbeat"):
            beats.append("beat")
            if len(beats) == 1:
                raise OperationalError("the server closed the connection")
        return now()

    monkeypatch.setattr(job_lease, "Now", now_or_not)

    def work(context: JobContext) -> None:
        until = time.monotonic() + 5
        while len(beats) < 3 and time.monotonic() < until:
            time.sleep(0.02)

    job = jobs.run(make_job(handlers, work).pk)

    assert job is not None and job.state == JobState.DONE
    assert len(beats) >= 3


def test_a_job_that_loses_the_database_is_tried_again_and_not_for_ever(
    handlers: dict[str, jobs.Handler],
) -> None:
    def work(context: JobContext) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    job = make_job(handlers, work)
    states = []
    for _attempt in range(jobs.MAX_ATTEMPTS):
        after = jobs.run(job.pk)
        assert after is not None
        states.append(after.state)
        Job.objects.filter(pk=job.pk).update(lease_until=None)

    assert states == [JobState.QUEUED] * (jobs.MAX_ATTEMPTS - 1) + [JobState.FAILED]


def test_a_job_that_gets_further_after_each_kill_is_never_given_up(
    handlers: dict[str, jobs.Handler],
) -> None:
    done = 0

    def work(context: JobContext) -> None:
        nonlocal done
        done += 1
        context.progress(done, 100)
        raise SystemExit  # As when the process is killed: the row stays as it is.

    job = make_job(handlers, work)
    for _kill in range(jobs.MAX_ATTEMPTS * 2):
        with pytest.raises(SystemExit):
            jobs.run(job.pk)
        Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
        jobs.recover()

    assert Job.objects.get(pk=job.pk).state == JobState.QUEUED
