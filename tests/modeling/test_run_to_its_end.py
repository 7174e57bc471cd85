"""A run from its row to its outputs, and the ends it may come to."""

import hashlib
import os
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models.functions import Now
from pytest_django import Settings

from modeling.copying import Copy
from modeling.instances.building import Variant
from modeling.instances.sources import BadSource, StoryInTwoSplits
from modeling.models import Generation, Run, RunState
from modeling.run_folder import Outcome, Output, Reason
from modeling.runs import process, supervising
from modeling.runs.creating import RunRefused, create_runs, request_cancel, resume_run
from modeling.runs.lease import LeaseLost, claim
from modeling.runs.recovering import recover_runs
from modeling.runs.supervising import supervise
from modeling.tasks.task import Scored
from tests.annotation.releases.world import past_rows
from tests.modeling.running import make_release, make_run, runs_folder
from tests.studies.factories import make_study
from tests.studies.published import lines
from tests.studies.test_two_at_once import beside

__all__ = ["runs_folder"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("runs_folder")]


def lapse(run: Run) -> None:
    """As if its supervisor had given no sign of life for long."""
    Run.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))


def in_place_of_a_runner(monkeypatch: pytest.MonkeyPatch, does: Callable[[Run], None]) -> None:
    """Something at hand that the runner does, or fails to do, without a process."""

    class Instead:
        def __init__(self, run: Run) -> None:
            does(run)

        def has_ended(self) -> bool:
            return True

        def kill(self) -> None: ...

    monkeypatch.setattr(supervising, "Runner", Instead)


def test_a_run_ends_with_one_output_for_each_input_and_what_each_leads_back_to() -> None:
    release = make_release()
    run = make_run(release)

    assert supervise(run.pk) is False

    run.refresh_from_db()
    asked = {instance.key: instance for instance in run.folder.instances("test")}
    assert (run.state, run.attempts, run.lease_token) == (RunState.DONE, 1, None)
    assert run.facts == {
        "answered": len(asked),
        "asked": len(asked),
        "scores": {"answer": {"accuracy": 0.0}},
    }
    assert len(run.data_sha256) == 64 and run.code_version
    assert run.progress["step"] == run.progress["steps"] == len(asked) > 0
    rows = set(release.rows.filter(split="test").values_list("pk", flat=True))
    found = list(run.generations.all())
    assert {one.instance_key for one in found} == set(asked)
    assert {one.release_row_id for one in found} == rows
    for one in found:
        assert (one.output, one.checkpoint) == (asked[one.instance_key].text, "copy")
        assert one.target == asked[one.instance_key].target
        assert Scored.from_dict(one.score).problems == {"unreadable": True}


def test_what_is_learnt_from_is_of_one_partition_and_what_is_asked_of_both() -> None:
    run = make_run(variant=Variant("state-inference", partition="original"))

    supervise(run.pk)

    learnt = {one.part for one in run.folder.instances("train")}
    asked = {one.part for one in run.folder.instances("test")}
    assert learnt == {"story_state", "story_mod_state"} and len(asked) == 4


def test_a_message_that_comes_twice_starts_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run()
    again: list[bool] = []
    in_place_of_a_runner(monkeypatch, lambda run: again.append(supervise(run.pk)))

    supervise(run.pk)

    run.refresh_from_db()
    assert again == [False] and run.attempts == 1


def test_who_lost_the_lease_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken_over(run: Run) -> None:
        run.folder.write_generations([Output("x", "y")])
        run.folder.write_outcome(Outcome("done"))
        lapse(run)
        assert recover_runs() == [run.pk]
        assert claim(run.pk)

    run = make_run()
    in_place_of_a_runner(monkeypatch, taken_over)

    supervise(run.pk)

    run.refresh_from_db()
    assert (run.state, run.attempts) == (RunState.RUNNING, 2)
    assert not run.generations.exists()


def test_a_live_run_is_left_alone_and_a_lapsed_one_is_begun_again() -> None:
    run = make_run()
    lease = claim(run.pk)
    assert lease and recover_runs() == []
    lapse(run)

    assert recover_runs() == [run.pk]

    with pytest.raises(LeaseLost):
        lease.renew()
    assert supervise(run.pk) is False
    run.refresh_from_db()
    assert (run.state, run.attempts) == (RunState.DONE, 2)


def test_what_was_done_but_not_stored_is_not_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run()

    def die(*_: object, **__: object) -> None:
        raise LeaseLost

    with monkeypatch.context() as broken:
        broken.setattr(supervising, "store_generations", die)
        supervise(run.pk)
    lapse(run)
    recover_runs()
    in_place_of_a_runner(monkeypatch, lambda run: pytest.fail("It ran again."))

    supervise(run.pk)

    run.refresh_from_db()
    assert run.state == RunState.DONE and run.generations.exists()


def test_a_run_whose_process_is_killed_each_time_fails_in_words(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    def die(run: Run) -> None:
        run.folder.log.write_text("loading\nstep 3\n")

    settings.RUN_ATTEMPTS = 2
    run = make_run()
    in_place_of_a_runner(monkeypatch, die)

    assert supervise(run.pk) is True
    assert supervise(run.pk) is False

    run.refresh_from_db()
    assert (run.state, run.reason) == (RunState.FAILED, Reason.KILLED)
    assert "killed each time" in run.error and run.last_words.endswith("step 3")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason.OUT_OF_MEMORY, "smaller batch"),
        (Reason.DISK_FULL, "disk of the runs"),
        (Reason.NOT_A_NUMBER, "loss is no number"),
        (Reason.NO_MODEL, "model was not found. (t5-base)"),
        (Reason.NO_ENDPOINT, "environment"),
        (Reason.REFUSED_TO_ANSWER, "address and key"),
        (Reason.NO_TORCH, "pip install -r requirements-gpu.txt"),
    ],
)
def test_a_failure_says_what_happened_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, reason: Reason, words: str
) -> None:
    def fail(run: Run) -> None:
        run.folder.log.write_text("the last line\n")
        detail = "t5-base" if reason == Reason.NO_MODEL else ""
        run.folder.write_outcome(Outcome("failed", reason, detail))

    run = make_run()
    in_place_of_a_runner(monkeypatch, fail)

    supervise(run.pk)

    run.refresh_from_db()
    assert run.state == RunState.FAILED and words in run.error
    assert run.last_words == "the last line"


def test_outputs_that_were_not_asked_for_are_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(run: Run) -> None:
        run.folder.write_generations([Output("nobody:asked", "")])
        run.folder.write_outcome(Outcome("done"))

    run = make_run()
    in_place_of_a_runner(monkeypatch, answer)

    supervise(run.pk)

    run.refresh_from_db()
    assert (run.state, run.reason) == (RunState.FAILED, Reason.UNEXPECTED)
    assert not Generation.objects.exists()


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("So\0: <extra_id_1>: It rain\0ed.", "So\ufffd: <extra_id_1>: It rain\ufffded."),
        (f"<extra_id_{'9' * 4_400}>: Who?", f"<extra_id_{'9' * 4_400}>: Who?"),
    ],
)
def test_whatever_a_model_writes_is_stored_and_scored(
    monkeypatch: pytest.MonkeyPatch, text: str, stored: str
) -> None:
    def answer(run: Run) -> None:
        run.folder.write_generations(
            Output(one.key, text, details={"said\0": text}) for one in run.folder.instances("test")
        )
        run.folder.write_outcome(Outcome("done", facts={"said": text, "model_revision": "\0"}))

    run = make_run(variant=Variant("story-revision"))
    in_place_of_a_runner(monkeypatch, answer)

    supervise(run.pk)

    run.refresh_from_db()
    assert (run.state, run.facts["said"], run.model_revision) == ("done", stored, "\ufffd")
    for one in run.generations.all():
        assert (one.output, one.details) == (stored, {"said\ufffd": stored})
        assert one.score["problems"]["before"] == stored.split(" <extra_id_1>")[0]
    assert run.generations.count() == run.facts["asked"] > 0


def test_a_failure_is_told_whatever_its_log_and_detail_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(run: Run) -> None:
        run.folder.log.write_bytes(b"the last\0line\n")
        run.folder.write_outcome(Outcome("failed", Reason.NO_ANSWER, "status 400: \0"))

    run = make_run()
    in_place_of_a_runner(monkeypatch, fail)

    supervise(run.pk)

    run.refresh_from_db()
    assert (run.state, run.reason) == (RunState.FAILED, Reason.NO_ANSWER)
    assert "status 400: \ufffd" in run.error and run.last_words == "the last\ufffdline"


def test_a_stopped_run_keeps_a_checkpoint_and_goes_on_from_it() -> None:
    run = make_run(configuration=Copy(seconds_each=0.3))
    Run.objects.filter(pk=run.pk).update(cancel_requested=True)

    supervise(run.pk)

    run.refresh_from_db()
    assert run.state == RunState.CANCELLED and run.folder.latest_checkpoint()
    assert not run.generations.exists()
    resume_run(run=run)
    assert recover_runs() == [run.pk]
    supervise(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.DONE
    assert run.generations.count() == run.facts["asked"]


def test_a_waiting_run_stops_at_once_and_one_that_is_done_stays() -> None:
    run = make_run()
    request_cancel(run=run)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert supervise(run.pk) is False and not run.folder.path.exists()

    done = make_run()
    supervise(done.pk)
    request_cancel(run=done)
    with pytest.raises(RunRefused):
        resume_run(run=done)
    done.refresh_from_db()
    assert done.state == RunState.DONE


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_put_back_while_somebody_stops_it_stops() -> None:
    run = make_run()
    lease = claim(run.pk)
    assert lease is not None

    with transaction.atomic():
        lease.put_back()
        stopping = beside(lambda: request_cancel(run=run))
        stopping.join(0.5)
    stopping.join(10)

    run.refresh_from_db()
    assert run.state == RunState.CANCELLED


def test_a_runner_that_is_killed_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(configuration=Copy(seconds_each=0.2))
    started: list[process.Runner] = []

    class Killed(process.Runner):
        def __init__(self, run: Run) -> None:
            super().__init__(run)
            if not started:
                threading.Timer(0.3, os.killpg, [self._process.pid, signal.SIGKILL]).start()
            started.append(self)

    monkeypatch.setattr(supervising, "Runner", Killed)
    assert supervise(run.pk) is True

    assert supervise(run.pk) is False

    run.refresh_from_db()
    assert (run.state, run.attempts, len(started)) == (RunState.DONE, 2, 2)
    assert run.generations.count() == run.facts["asked"]


def test_a_run_from_files_knows_them_by_their_hash(tmp_path: Path) -> None:
    learnt, asked = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    learnt.write_bytes(lines(*past_rows(3, 1)))
    asked.write_bytes(lines(*past_rows(2, 1, first=3)))
    run = make_run(release=None, files={"train": learnt, "test": asked}, study=make_study())

    supervise(run.pk)

    run.refresh_from_db()
    assert run.state == RunState.DONE and run.generations.count() == 8
    assert run.files["test"] == {
        "name": "test.jsonl",
        "sha256": hashlib.sha256(asked.read_bytes()).hexdigest(),
    }


def test_a_run_from_files_that_lie_on_another_host_only_has_failed(
    tmp_path: Path, settings: Settings
) -> None:
    file = tmp_path / "test.jsonl"
    file.write_bytes(lines(*past_rows(2, 1)))
    run = make_run(release=None, files={"test": file}, study=make_study())
    folder = settings.RUNS_DIR
    settings.RUNS_DIR = tmp_path / "another-host"

    supervise(run.pk)

    run.refresh_from_db()
    assert (run.state, run.reason) == (RunState.FAILED, Reason.BAD_DATA)
    assert "FABULA_RUNS_DIR" in run.error

    settings.RUNS_DIR = folder
    resume_run(run=run)
    supervise(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.DONE and run.generations.count() == run.facts["asked"] > 0


def test_files_that_share_a_story_make_no_run(tmp_path: Path, runs_folder: Path) -> None:
    file = tmp_path / "both.jsonl"
    file.write_bytes(lines(*past_rows(3, 1)))

    with pytest.raises(StoryInTwoSplits):
        make_run(release=None, files={"train": file, "test": file}, study=make_study())
    with pytest.raises(BadSource, match="none.jsonl cannot be read: No such file or directory"):
        make_run(release=None, files={"test": tmp_path / "none.jsonl"}, study=make_study())

    assert not Run.objects.exists()
    assert not list(runs_folder.glob("*"))


def test_five_seeds_are_five_runs_and_bad_ones_are_refused() -> None:
    release = make_release()
    asked: dict[str, Any] = {
        "study": release.study,
        "release": release,
        "variant": Variant("state-change"),
        "configuration": Copy(),
        "seeds": [1, 2, 3, 4, 5],
    }
    wrong: list[dict[str, Any]] = [
        *({"seeds": []}, {"seeds": [1, 1]}, {"queue": "quantum"}, {"release": None}),
        {"study": make_release().study},
    ]

    made = create_runs(**asked)

    assert [run.seed for run in made] == [1, 2, 3, 4, 5]
    assert {run.queue for run in made} == {"cpu"}
    for change in wrong:
        with pytest.raises(RunRefused):
            create_runs(**asked | change)
    assert Run.objects.count() == 5
