from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from annotation.models import Decision, ReviewPlan, ReviewSource, Standing, Verdict
from annotation.proficiency.deciding import LOCK_SPACE, apply_standings
from annotation.proficiency.standings import standings_of
from annotation.releases.withdrawal import withdraw_participant
from studies import jobs
from studies.models import (
    Assignment,
    Contribution,
    ContributionStatus,
    Job,
    JobState,
    Participant,
    Payment,
    PaymentKind,
    Round,
    Study,
)
from studies.services.payments import decide_payment
from tests.annotation.proficiency.conftest import Marketplace
from tests.annotation.proficiency.work import (
    judge,
    make_reviewed_round,
    make_workers,
    review,
    statuses,
    work,
)
from tests.studies.factories import make_round

# A job's heartbeat has a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


def run(study: Study, user: Any = None) -> Job:
    job = jobs.run(apply_standings(study=study, user=user).pk)
    assert job is not None
    return job


def test_every_decision_is_written_down_with_its_rule_and_evidence(
    marketplace: Marketplace,
) -> None:
    people = make_workers()
    ada = User.objects.create_superuser("ada")

    job = run(people["able"].study, ada)

    able = Decision.objects.get(participant=people["able"])
    assert job.state == JobState.DONE
    assert able.standing == Standing.PROFICIENT
    assert able.evidence == {"submitted": 20, "required": 6, "reviewed": 6, "rejected": 1}
    assert able.rule == {"min_responses": 20, "max_rejected_share": "0.200"}
    assert able.decided_by == ada
    assert Decision.objects.get(participant=people["careless"]).standing == "not_proficient"
    assert Decision.objects.get(participant=people["open"]).standing == "undecided"


def test_applying_again_writes_nothing_more(marketplace: Marketplace) -> None:
    people = make_workers()
    run(people["able"].study)

    run(people["able"].study)

    assert Decision.objects.count() == 3
    assert len(marketplace.approved) == len(set(marketplace.approved)) == 40


def test_new_evidence_is_a_new_decision_and_the_old_one_stays(marketplace: Marketplace) -> None:
    people = make_workers()
    run(people["able"].study)
    review(people["open"], wrong=0)

    run(people["able"].study)

    standings = Decision.objects.filter(participant=people["open"]).values_list("standing")
    assert [one for (one,) in standings] == ["undecided", "proficient"]
    assert Decision.objects.count() == 4


def test_a_decision_can_be_neither_changed_nor_deleted(marketplace: Marketplace) -> None:
    run(make_workers()["able"].study)

    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.update(standing="proficient")
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.all().delete()


def test_proficient_workers_keep_all_but_what_an_expert_rejected(marketplace: Marketplace) -> None:
    people = make_workers()

    run(people["able"].study)

    assert statuses(people["able"]) == {"accepted": 19, "rejected": 1}
    assert statuses(people["careless"]) == {"accepted": 4, "rejected": 16}
    assert statuses(people["open"]) == {"pending": 20}


def test_a_verdict_outside_the_sample_counts_for_its_contribution_alone(
    marketplace: Marketplace,
) -> None:
    people = make_workers()
    unseen = Contribution.objects.filter(pick=None)
    for name, correct in (("able", False), ("careless", True)):
        judge(unseen.filter(response__assignment__participant=people[name])[0], correct=correct)

    run(people["able"].study)

    assert statuses(people["able"]) == {"accepted": 18, "rejected": 2}
    assert statuses(people["careless"]) == {"accepted": 5, "rejected": 15}
    assert Decision.objects.get(participant=people["able"]).evidence["rejected"] == 1


def test_who_withdrew_is_written_down_as_such_and_is_proficient_no_longer(
    marketplace: Marketplace,
) -> None:
    able = make_workers()["able"]
    run(able.study)
    withdraw_participant(participant=able)
    able.refresh_from_db()
    assert (able.qualified_at, able.qualification_applied) == (None, False)
    able.study.participants.filter(pk=able.pk).update(qualified_at=timezone.now())

    run(able.study)

    standings = Decision.objects.filter(participant=able).values_list("standing", flat=True)
    assert list(standings) == ["proficient", "withdrew"]
    able.refresh_from_db()
    assert (able.qualified_at, able.qualification_applied) == (None, True)
    assert statuses(able) == {"withdrawn": 20}


def test_who_withdrew_and_gives_again_is_judged_by_what_they_gave_since(
    marketplace: Marketplace,
) -> None:
    able = make_workers()["able"]
    run(able.study)
    withdraw_participant(participant=able)
    work(make_round(able.study, stories=1, overlap=1), able, count=1)
    ReviewPlan.objects.get().rounds.set(Round.objects.all())

    standing = {one.participant: one for one in standings_of(able.study)}[able]

    assert (standing.standing, standing.evidence.submitted) == (Standing.UNDECIDED, 1)


def test_what_was_withdrawn_stays_withdrawn(marketplace: Marketplace) -> None:
    people = make_workers()
    taken_out = Contribution.objects.filter(
        pick=None, response__assignment__participant=people["careless"]
    )[0]
    Contribution.objects.filter(pk=taken_out.pk).update(status=ContributionStatus.WITHDRAWN)

    run(people["able"].study)

    taken_out.refresh_from_db()
    assert taken_out.status == ContributionStatus.WITHDRAWN


def test_the_qualification_follows_the_standing(marketplace: Marketplace) -> None:
    people = make_workers()
    run(people["able"].study)
    first = set(marketplace.holders)
    sampled = Verdict.objects.filter(
        contribution__response__assignment__participant=people["able"], judgement="correct"
    )[0]
    Verdict.objects.filter(pk=sampled.pk).update(replaced_at=timezone.now())
    judge(sampled.contribution, correct=False, source=ReviewSource.SAMPLE)

    run(people["able"].study)

    people["able"].refresh_from_db()
    assert first == {people["able"].worker.marketplace_id}
    assert marketplace.holders == set()
    assert people["able"].qualified_at is None
    assert people["able"].qualification_applied


def test_an_undecided_worker_keeps_the_qualification(marketplace: Marketplace) -> None:
    people = make_workers()
    since = timezone.now()
    Participant.objects.filter(pk=people["open"].pk).update(qualified_at=since)

    run(people["open"].study)

    people["open"].refresh_from_db()
    assert people["open"].qualified_at == since


def test_honest_work_of_decided_workers_is_paid_whatever_becomes_of_it(
    marketplace: Marketplace,
) -> None:
    people = make_workers()
    rejected = Assignment.objects.filter(participant=people["careless"])[0]
    decide_payment(assignments=[rejected], kind=PaymentKind.REJECT, reason="Copied.")
    Payment.objects.update(state="confirmed")

    run(people["able"].study)

    paid = Payment.objects.filter(kind=PaymentKind.APPROVE, state="confirmed")
    assert paid.filter(assignment__participant=people["able"]).count() == 20
    assert paid.filter(assignment__participant=people["careless"]).count() == 19
    assert not paid.filter(assignment__participant=people["open"]).exists()
    assert not Payment.objects.filter(kind=PaymentKind.REJECT).exclude(assignment=rejected).exists()


def test_a_round_that_was_run_elsewhere_is_judged_and_not_paid(marketplace: Marketplace) -> None:
    round = make_reviewed_round(workers=1)
    worker = work(round)
    review(worker, wrong=0)
    Round.objects.filter(pk=round.pk).update(past=True)

    run(round.study)

    assert statuses(worker) == {"accepted": 20}
    assert not Payment.objects.exists()


def test_a_marketplace_that_is_away_is_told_later(marketplace: Marketplace) -> None:
    people = make_workers()
    marketplace.is_down = True

    waiting = run(people["able"].study)
    written, marketplace.is_down = Decision.objects.count(), False
    Job.objects.update(lease_until=None)
    done = jobs.run(waiting.pk)

    assert (waiting.state, written) == (JobState.QUEUED, 3)
    assert done is not None and done.state == JobState.DONE
    assert Decision.objects.count() == 3
    assert len(marketplace.approved) == len(set(marketplace.approved)) == 40


def test_a_job_that_is_stopped_leaves_whole_workers(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = make_workers()
    job = apply_standings(study=people["able"].study)
    monkeypatch.setattr(jobs, "REPORT_EVERY_SECONDS", 0)
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)

    stopped = jobs.run(job.pk)

    assert stopped is not None and stopped.state == JobState.CANCELLED
    assert Decision.objects.count() == 1
    run(people["able"].study)
    assert Decision.objects.count() == 3


def test_two_jobs_at_once_wait_for_each_other(marketplace: Marketplace) -> None:
    study = make_workers()["able"].study
    other = connections.create_connection("default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [LOCK_SPACE, study.pk])
        waiting = run(study)
    other.close()

    assert waiting.state == JobState.QUEUED
    assert "Another job" in waiting.message
    assert not Decision.objects.exists()


def test_an_untouched_study_needs_nothing(marketplace: Marketplace) -> None:
    job = run(make_reviewed_round(workers=1).study)

    assert job.state == JobState.DONE
    assert not Decision.objects.exists()
