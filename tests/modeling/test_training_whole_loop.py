"""From a release to a small model's outputs, to people who rate them, to a report, and back again:
everything but the browser, the network between our rounds and the marketplace, and threads."""

import io
import json
import re
from collections.abc import Callable
from concurrent.futures import Future
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Release
from evaluation.models import Rating
from evaluation.rating.sources.runs import outputs_of_runs
from evaluation.services.instruments import find_instrument
from evaluation.services.rating_rounds import launch_ratings
from marketplace.models import HITType, Worker
from modeling.instances import story_revision
from modeling.instances.building import Variant
from modeling.instances.sources import tuples_of_release
from modeling.methods import Seq2Seq
from modeling.models import Run, RunState
from modeling.runner import carry_out
from modeling.runs import supervising
from modeling.runs.creating import create_runs
from modeling.runs.supervising import supervise
from studies import jobs, mturk
from studies.models import JobState, ResponseState, Round, Study
from studies.services.settlement import confirm_response
from tests.annotation.releases.world import build, contribute
from tests.evaluation.rating_rounds import assignment_of, planned, shown_to
from tests.marketplace.conftest import answer_in_process
from tests.marketplace.factories import make_key, make_requester
from tests.marketplace_site.people import browser_of, make_signed_up
from tests.modeling import tiny
from tests.modeling.running import runs_folder
from tests.studies.factories import make_participant, make_round, make_study
from tests.studies.members import make_member

__all__ = ["runs_folder"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("runs_folder", "marketplace")]
STORIES = 12
SAID = {"inferable": "3", "logical": "1", "degree": "0"}


class AtOnce:
    """In place of threads, which would not see what this test has not committed."""

    def __init__(self, *_given: Any, **_named: Any) -> None: ...

    def __enter__(self) -> "AtOnce":
        return self

    def __exit__(self, *_raised: object) -> None: ...

    def submit(self, call: Callable[..., Any], *given: Any, **named: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(call(*given, **named))
        return done


class Here:
    """In place of the runner's process: the same steps in this one, which has PyTorch already."""

    def __init__(self, run: Run) -> None:
        run.folder.write_outcome(carry_out(run.folder))

    def has_ended(self) -> bool:
        return True

    def kill(self) -> None: ...


@pytest.fixture
def marketplace(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours, reached by boto3 as ever; its requests are answered in this process."""
    key = make_key(make_requester(signing_secret=settings.MTURK_SIGNING_SECRET))
    settings.MTURK_ACCESS_KEY_ID = key.access_key_id
    settings.MTURK_SECRET_ACCESS_KEY = key.secret_access_key
    client: Any = mturk.client_at.__wrapped__(settings.MTURK_ENDPOINT_URL)
    client.meta.events.register("before-send", answer_in_process)
    monkeypatch.setattr("studies.mturk.client", lambda: client)
    monkeypatch.setattr("studies.services.publishing.ThreadPoolExecutor", AtOnce)


def written(study: Study) -> Release:
    round = make_round(study, stories=STORIES, overlap=1)
    author = make_participant(round)
    for _story in range(STORIES):
        contribute(round, participant=author)
    return build(study, layout="jsonl")


def trained(release: Release, models: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(supervising, "Runner", Here)
    instances = [one for _split, each in tuples_of_release(release) for one in story_revision(each)]
    [run] = create_runs(
        study=release.study,
        release=release,
        variant=Variant("story-revision"),
        configuration=Seq2Seq(
            model=tiny.save_t5(models, instances, width=32),
            epochs=1,
            batch_size=8,
            max_new_tokens=8,
            precision="float32",
        ),
        seeds=[4711],
        name="tiny T5",
    )
    assert supervise(run.pk) is False
    run.refresh_from_db()
    assert run.state == RunState.DONE, run.last_words
    return run


def launched(run: Run) -> Round:
    """Published by its job."""
    declared = find_instrument("story-revision").declared
    outputs = outputs_of_runs([run], declared=declared)
    plan = planned(run.study, "story-revision", outputs, sample=1, overlap=1)
    round, job = launch_ratings(plan=plan)
    finished = jobs.run(job.pk)
    assert finished is not None and finished.state == JobState.DONE, finished
    return round


def rated(round: Round, worker: Worker) -> Rating:
    """From the list of work to the thank-you, as the browser would send it."""
    browser, frame = browser_of(worker), Client()
    group = HITType.objects.get().group_id
    accepted = browser.post(f"/worker/groups/{group}/accept/", {"accepts_next_shown": "1"})
    shown = browser.get(accepted["Location"])
    address = urlsplit(found(r'<iframe[^>]*src="([^"]+)"', shown))
    page = frame.get(f"{address.path}?{address.query}")
    assignment = assignment_of(round, worker.worker_id)
    answers = {f"{question}_1": code for question, code in SAID.items()}
    assert len(shown_to(assignment)) == 1
    answers["token"] = found(r'name="token" value="([^"]+)"', page)
    taken = frame.post(reverse("task-submit"), answers)
    sent = frame.get(taken["Location"])
    number = found(r'name="assignmentId" value="([^"]+)"', sent)
    assert frame.post("/mturk/externalSubmit", {"assignmentId": number}).status_code == 200
    assert confirm_response(assignment.pk)
    return Rating.objects.get(response__assignment=assignment)


def found(pattern: str, response: Any) -> str:
    match = re.search(pattern, response.content.decode())
    assert match, response.content.decode()
    return unescape(match.group(1))


def test_a_release_becomes_outputs_ratings_a_report_and_a_page_that_names_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(slug="evenings")
    release = written(study)
    run = trained(release, tmp_path / "t5", monkeypatch)
    rating = rated(launched(run), make_signed_up("ada"))

    out = io.StringIO()
    call_command("report", "story_revision", "--study", "evenings", "--format", "json", stdout=out)
    values = {(row["system"], row["metric"]): row["value"] for row in json.loads(out.getvalue())}
    assert values["tiny T5", "logical"] == 100

    researcher = Client()
    researcher.force_login(make_member(study))
    automatic = researcher.get(reverse("admin:evaluation_report", args=[study.pk, "automatic"]))
    # What its outputs score was worked out with the run: no job has to do it.
    assert automatic.context["made"].lines[0].cell.system == "tiny T5"
    page = researcher.get(reverse("admin:evaluation_rating_change", args=[rating.pk])).text
    assert rating.response is not None and rating.response.state == ResponseState.CONFIRMED
    slot = rating.response.assignment.slot
    output = run.generations.get(instance_key=rating.item.key)
    assert output.release_row is not None and slot is not None
    writer = output.release_row.contribution.response.assignment.participant
    assert writer is not None and run.folder.latest_checkpoint() is not None
    named = {
        *("tiny T5", "4711", run.code_version, run.data_sha256, run.model_revision),
        *(output.checkpoint_folder, run.facts["checkpoint_sha256"]),
        *(release.sha256, str(release), slot.hit_id, rating.rater.pseudonym, writer.pseudonym),
    }
    assert "" not in named
    assert [one for one in named if one not in page] == []
    assert "Not known" not in page
