import pytest

from studies import jobs, mturk
from studies.jobs import JobContext, create_job
from studies.models import Job
from studies.services import publishing
from tests.studies import factories as make

pytestmark = pytest.mark.django_db


def test_a_job_that_looks_long_for_its_hits_gets_further(monkeypatch: pytest.MonkeyPatch) -> None:
    round = make.make_round()
    lost = round.slots.create()
    job = create_job(kind="publish_round", study=round.study, payload={"round": round.pk})
    Job.objects.update(attempts=jobs.MAX_ATTEMPTS - 1)
    others = [mturk.PublishedHit(f"HIT{number}", "another") for number in range(150)]
    mine = mturk.PublishedHit("MINE", f"{publishing.ANNOTATION_PREFIX}{lost.key}")
    monkeypatch.setattr(mturk, "published_hits", lambda: iter([*others, mine]))
    monkeypatch.setattr(jobs, "REPORT_EVERY_SECONDS", 0.0)
    token = jobs.claim(job.pk)
    assert token is not None
    job.refresh_from_db()

    publishing._find_published(JobContext(job, token), round)

    job.refresh_from_db()
    lost.refresh_from_db()
    assert (job.done, job.total, job.attempts) == (151, None, jobs.ATTEMPTS_OF_PROGRESS)
    assert lost.hit_id == "MINE"
