"""Runs in the admin, through the API and by command."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from redis.exceptions import ConnectionError as BrokerAway

from annotation.models import Release
from annotation.releases.withdrawal import preview_withdrawal
from modeling.admin.run_curve import rows_of
from modeling.configuration import Configuration
from modeling.copying import Copy
from modeling.instances.building import Variant
from modeling.methods import EndpointPrompting, LocalPrompting, Seq2Seq
from modeling.models import Point, Run, RunState
from modeling.run_folder import Reason
from modeling.runs import presence
from modeling.runs.comparing import compare
from modeling.runs.creating import RunRefused
from modeling.runs.lease import claim
from modeling.runs.supervising import supervise
from modeling.runs.words import what_failed
from tests.annotation.releases.world import build, contribute, past_rows
from tests.modeling.running import make_release, make_run, runs_folder
from tests.studies.factories import make_participant, make_round
from tests.studies.members import make_member
from tests.studies.published import lines
from tests.studies_admin.conftest import admin_user, client, staff_client

__all__ = ["admin_user", "client", "runs_folder", "staff_client"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("runs_folder")]
ASKED = {
    "task": "state-inference",
    "input": "marked",
    "partition": "both",
    "how": "method copy",
    "settings": "",
    "seeds": "1 2 3",
    "processes": "1",
    "name": "copies",
}
UNKNOWN = "0b4a6d0e-7c55-4b0e-9c39-1d5a2f1c7e11"


@pytest.fixture
def release() -> Release:
    return make_release()


def page_of(run: Run) -> str:
    return reverse("admin:modeling_run_change", args=[run.pk])


def command(*arguments: object) -> Any:
    out = StringIO()
    call_command("run_model", *map(str, arguments), "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_settings_and_seeds_may_be_given_again(release: Release) -> None:
    asked = [release.study.slug, "--release", release.name, "--task", "state-change"]
    how = ["--method", "seq2seq", "--set", "model=t5", "epochs=3", "--set", "batch_size=4"]

    runs = command(*asked, *how, "--seed", 1, "--seed", 2, 3)

    assert [run["seed"] for run in runs] == [1, 2, 3]
    chosen = Run.objects.get(pk=runs[0]["run"]).configuration
    assert (chosen["model"], chosen["epochs"], chosen["batch_size"]) == ("t5", 3, 4)


def test_the_form_makes_a_run_for_each_seed(client: Client, release: Release) -> None:
    asked = ASKED | {"release": release.pk, "settings": "seconds_each=0.5"}

    answer = client.post(reverse("admin:modeling_run_start"), asked)

    assert answer.status_code == 303
    runs = Run.objects.order_by("pk")
    assert [run.seed for run in runs] == [1, 2, 3]
    assert {(run.state, run.queue, run.name) for run in runs} == {("queued", "cpu", "copies")}
    assert runs[0].configuration == {"seconds_each": 0.5}
    assert runs[0].requested_by == User.objects.get(username="ada")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seeds": "1 1"}, "twice"),
        ({"seeds": "one"}, "whole numbers"),
        ({"settings": "speed"}, "name=value"),
        ({"settings": "speed=3"}, "speed"),
        ({"how": "preset bert-base", "settings": "name=x"}, "name: This method has no such"),
        ({"settings": "seconds_each=" + "[" * 100_000}, "seconds_each: Give a number"),
        ({"settings": "seconds_each=900"}, "60 or less"),
        ({"how": "preset few-shot-local"}, "no preset"),
        ({"how": "method seq2seq", "settings": f"model={UNKNOWN}"}, f"no run {UNKNOWN}"),
        ({"how": "method seq2seq", "settings": "model=a/../b"}, "the path without"),
        ({"task": "state-change", "input": "story"}, "no other inputs"),
        ({"release": ""}, "Choose the release"),
    ],
)
def test_what_cannot_be_run_is_said_beside_its_field(
    client: Client, release: Release, change: dict[str, str], words: str
) -> None:
    asked = ASKED | {"release": release.pk} | change

    answer = client.post(reverse("admin:modeling_run_start"), asked)

    assert answer.status_code == 422 and words in answer.content.decode()
    assert not Run.objects.exists()


def test_the_page_says_where_no_worker_takes_the_run(client: Client, release: Release) -> None:
    run = make_run(release)
    assert "No worker takes runs of this queue now" in client.get(page_of(run)).content.decode()

    presence.note_worker(["cpu", "default"])

    assert "No worker takes" not in client.get(page_of(run)).content.decode()


def test_the_page_is_there_where_nothing_is_known_of_workers(
    client: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def get(self, key: str) -> None:
            raise BrokerAway(key)

    monkeypatch.setattr("modeling.runs.presence.cache", Away())
    answer = client.get(page_of(make_run(release)))

    assert answer.status_code == 200 and "No worker takes" not in answer.content.decode()


def test_the_page_shows_what_failed_with_the_last_lines(client: Client, release: Release) -> None:
    run = make_run(release)
    Run.objects.update(
        state=RunState.FAILED,
        finished_at=Now(),
        reason=Reason.NO_TORCH,
        error=what_failed(Reason.NO_TORCH),
        last_words="No module named torch",
    )

    shown = client.get(page_of(run)).content.decode()

    assert "This worker has no PyTorch" in shown and "requirements-gpu.txt" in shown
    assert "No module named torch" in shown


def test_a_run_is_stopped_and_resumed_from_its_page(client: Client, release: Release) -> None:
    run = make_run(release)
    assert claim(run.pk)
    for name in ("cancel", "resume"):
        assert client.get(reverse(f"admin:modeling_run_{name}", args=[run.pk])).status_code == 405

    client.post(reverse("admin:modeling_run_cancel", args=[run.pk]))
    run.refresh_from_db()
    assert run.cancel_requested and run.state == RunState.RUNNING
    assert "Stopping within a few steps" in client.get(page_of(run)).content.decode()

    Run.objects.update(
        state=RunState.CANCELLED, finished_at=Now(), lease_token=None, lease_until=None
    )
    client.post(reverse("admin:modeling_run_resume", args=[run.pk]))
    run.refresh_from_db()
    assert (run.state, run.cancel_requested, run.attempts) == (RunState.QUEUED, False, 0)


def test_who_may_see_runs_changes_none(
    staff_client: Callable[..., Client], release: Release
) -> None:
    run = make_run(release)
    reader = staff_client("modeling.view_run")

    assert reader.get(page_of(run)).status_code == 200
    for address in ("modeling_run_cancel", "modeling_run_resume"):
        answer = reader.post(reverse(f"admin:{address}", args=[run.pk]))
        assert answer.status_code == 403
    assert reader.post(reverse("admin:modeling_run_start"), ASKED).status_code == 403
    stranger = staff_client("modeling.view_run")
    release.study.memberships.all().delete()
    assert stranger.get(page_of(run)).status_code == 404


def test_a_long_curve_is_thinned_out_and_keeps_its_last_point(release: Release) -> None:
    run = make_run(release)
    Point.objects.bulk_create(
        Point(run=run, phase="training", step=step, values={"loss": 1 / step})
        for step in range(1, 1_001)
    )

    rows = rows_of(run)

    assert 300 <= len(rows) <= 400 and rows[-1]["step"] == 1_000
    assert len(rows_of(run, most=None)) == 1_000


def test_seeds_are_one_line_with_mean_and_spread(client: Client, release: Release) -> None:
    # The first was run again: the latest of a seed counts.
    for seed, accuracy in ((1, 0.9), (2, 0.7), (1, 0.5)):
        run = make_run(release, seeds=[seed])
        facts = {"scores": {"answer": {"accuracy": accuracy}}}
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE, finished_at=Now(), facts=facts)
    other = make_run(release, configuration=Copy(seconds_each=1))
    Run.objects.filter(pk=other.pk).update(state=RunState.DONE, finished_at=Now())

    metrics, lines = compare(Run.objects.done().order_by("pk"))

    assert metrics == [("answer", "accuracy")]
    assert [line.seeds for line in lines] == [[2, 1], [7]]
    [figure] = lines[0].figures(metrics)
    assert figure and figure["mean"] == pytest.approx(0.6)
    assert figure["sd"] == pytest.approx(0.1414, abs=1e-4)
    assert lines[1].figures(metrics) == [None]
    shown = client.get(reverse("admin:modeling_run_compare")).content.decode()
    assert "0.6000 ± 0.1414" in shown


def test_a_run_through_the_api(release: Release) -> None:
    lea, root = Client(), f"/api/v1/studies/{release.study.slug}/runs/"
    lea.force_login(make_member(release.study, name="lea"))
    asked = {"release": "v1", "task": "state-inference", "method": "copy", "seeds": [4]}

    [made] = lea.post(root, asked, content_type="application/json").json()

    assert (made["state"], made["seed"], made["queue"]) == ("queued", 4, "cpu")
    refused = lea.post(root, asked | {"settings": {"x": 1}}, content_type="application/json")
    assert refused.status_code == 422 and "x" in refused.json()["detail"]
    supervise(made["run"])
    one = f"{root}{made['run']}/"
    assert lea.get(one).json()["state"] == "done"
    streamed = b"".join(lea.get(f"{one}generations/").streaming_content)  # type: ignore[attr-defined]
    assert streamed.count(b"\n") == lea.get(one).json()["facts"]["answered"] > 0
    [line] = lea.get(f"{root}compare/").json()
    assert line["runs"] == [made["run"]] and line["figures"][0]["metric"] == "accuracy"
    assert lea.get(f"{root}compare/?task=state-inference").json() == [line]
    assert lea.get(f"{root}compare/?task=story-revision").json() == []
    assert lea.get(f"{root}compare/?task=none").status_code == 400
    assert lea.post(f"{one}cancel/").json()["state"] == "done"
    assert lea.post(f"{one}resume/").status_code == 422


@pytest.mark.parametrize("model", ["a\0b", "a\ud800b"])
def test_a_model_whose_name_cannot_be_stored_is_refused_in_words(
    client: Client, release: Release, model: str
) -> None:
    asked = {"release": "v1", "task": "story-revision", "method": "seq2seq", "seeds": [4]}
    given = {"task": asked["task"], "how": "method seq2seq", "seeds": "4"}

    refused = client.post(
        f"/api/v1/studies/{release.study.slug}/runs/",
        asked | {"settings": {"model": model}},
        content_type="application/json",
    )
    shown = client.post(
        reverse("admin:modeling_run_start"),
        ASKED | given | {"release": release.pk, "settings": f"model={json.dumps(model)}"},
    )

    assert refused.status_code == 422 and "model: " in refused.json()["detail"]
    assert shown.status_code == 422 and "model: " in shown.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize("setting", ["name", "task", "settings"])
def test_a_setting_that_there_is_not_is_refused_whatever_its_name(
    release: Release, setting: str
) -> None:
    lea, study = Client(), release.study.slug
    lea.force_login(make_member(release.study, name="lea"))
    asked = {"release": "v1", "task": "state-inference", "preset": "bert-base", "seeds": [4]}

    refused = lea.post(
        f"/api/v1/studies/{study}/runs/",
        asked | {"settings": {setting: "x"}},
        content_type="application/json",
    )

    assert refused.status_code == 422 and setting in refused.json()["detail"]
    with pytest.raises(CommandError, match=setting):
        given = ("--release", "v1", "--task", "state-inference", "--preset", "bert-base")
        command(study, *given, "--set", f"{setting}=x")
    assert not Run.objects.exists()


def test_a_run_by_command(release: Release) -> None:
    study = release.study.slug
    asked = ("--release", "v1", "--task", "state-inference", "--method", "copy")

    [done] = command(study, *asked, "--seed", 4, "--set", "seconds_each=0.01", "--here")
    [waiting] = command(study, *asked)

    assert (done["state"], done["seed"]) == ("done", 4)
    assert done["facts"]["scores"] == {"answer": {"accuracy": 0.0}}
    assert [run["state"] for run in command(study, "--list")] == ["done", "queued"]
    assert command(study, "--cancel", waiting["run"])[0]["state"] == "cancelled"
    assert command(study, "--resume", waiting["run"])[0]["state"] == "queued"
    for wrong in (("--resume", done["run"]), ("--show", 0), (*asked, "--queue", "quantum")):
        with pytest.raises(CommandError):
            command(study, *wrong)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--seed", -1), "whole numbers from 0"),
        (("--seed", 2**70), "whole numbers from 0"),
        (("--seed", *range(51)), "50 seeds at most"),
        (("--seeds", 0), "from 1 to 50 seeds"),
        (("--seeds", 10**12), "from 1 to 50 seeds"),
        (("--processes", 0), "from 1 to 64 processes"),
        (("--processes", 10**6), "from 1 to 64 processes"),
        (("--name", "n" * 101), "100 characters at most"),
        (("--name", "\udcff"), "another name"),
    ],
)
def test_a_command_has_the_bounds_of_the_form(
    release: Release, given: tuple[object, ...], words: str
) -> None:
    asked = ("--release", "v1", "--task", "state-inference", "--method", "copy")

    with pytest.raises(CommandError, match=words):
        command(release.study.slug, *asked, *given)

    assert not Run.objects.exists()


def test_a_withdrawal_names_the_runs_that_used_the_rows() -> None:
    round = make_round(stories=12)
    leaving = make_participant(round)
    for _ in range(3):
        contribute(round, participant=leaving)
    release = build(round.study)
    run = make_run(release)
    other = make_participant(round)

    [use] = preview_withdrawal(participant=leaving).uses

    assert (use.kind, use.pk) == ("run", run.pk)
    assert use.rows == release.rows.exclude(split="").count() > 0
    assert preview_withdrawal(participant=other).uses == []


def test_a_run_says_whose_model_it_began_with(client: Client, release: Release) -> None:
    earlier = make_run(release)
    later = make_run(release, configuration=Seq2Seq(model=str(earlier.public_id)))

    page = client.get(page_of(later)).content.decode()

    assert later.began_with == earlier
    assert f'href="{page_of(earlier)}">{earlier}</a> · seed 7' in page
    assert make_run(release, configuration=Seq2Seq(model="t5-small")).began_with is None


NEEDED: dict[type[Configuration], dict[str, Any]] = {
    Seq2Seq: {"model": "small"},
    LocalPrompting: {"model": "small", "examples": [5]},
    EndpointPrompting: {"model": "small", "examples": [5], "endpoint": "lab"},
}


@pytest.mark.parametrize(
    ("method", "setting"),
    [
        (Seq2Seq, "model"),
        (Seq2Seq, "bertscore_model"),
        (LocalPrompting, "model"),
        (LocalPrompting, "encoder"),
        (EndpointPrompting, "bertscore_model"),
    ],
)
def test_a_run_uses_no_model_of_another_study(
    release: Release, method: type[Configuration], setting: str
) -> None:
    own, elsewhere = make_run(release), make_run()

    def run_with(model: Run) -> Run:
        given = NEEDED[method] | {setting: str(model.public_id)}
        variant, configuration = Variant("story-revision"), method.from_dict(given)
        return make_run(release, variant=variant, configuration=configuration)

    with pytest.raises(RunRefused, match=str(elsewhere.public_id)):
        run_with(elsewhere)
    assert run_with(own).began_with == (own if setting == "model" else None)


@pytest.mark.parametrize(
    ("method", "setting", "says"),
    [
        (Seq2Seq, "model", "Give the run's id instead"),
        (Seq2Seq, "bertscore_model", "Give the run's id instead"),
        (LocalPrompting, "encoder", "Give the run's id instead"),
        (EndpointPrompting, "model", "Give another model"),
    ],
)
@pytest.mark.parametrize("way", ["absolute", "relative", "link"])
def test_no_model_is_named_by_its_place_among_the_runs(
    *,
    release: Release,
    runs_folder: Path,
    method: type[Configuration],
    setting: str,
    says: str,
    way: str,
    settings: Settings,
) -> None:
    settings.BASE_DIR = runs_folder.parent
    checkpoint = make_run().folder.checkpoints / "step-000000000010"
    checkpoint.mkdir(parents=True)
    (runs_folder.parent / "link").symlink_to(checkpoint)
    ways = {
        "absolute": str(checkpoint),
        "relative": str(checkpoint.relative_to(runs_folder.parent)),
        "link": "link",
    }
    configuration = method.from_dict(NEEDED[method] | {setting: ways[way]})

    with pytest.raises(RunRefused, match=f"{setting}: .*{says}"):
        make_run(release, variant=Variant("story-revision"), configuration=configuration)

    assert release.study.runs.count() == 0


def test_hubs_and_folders_elsewhere_have_models(release: Release, tmp_path: Path) -> None:
    for name in ("google/t5-base", str(tmp_path / "t5"), "runs-of-mine/t5"):
        run = make_run(release, configuration=Seq2Seq(model=name))

        assert run.configuration["model"] == name


def test_a_withdrawal_names_the_runs_that_began_with_those_that_used_the_rows() -> None:
    round = make_round(stories=12)
    leaving = make_participant(round)
    for _ in range(3):
        contribute(round, participant=leaving)
    first = make_run(build(round.study))
    second = heir_of(first)
    third = heir_of(second)

    uses = preview_withdrawal(participant=leaving).uses

    assert [use.pk for use in uses] == [first.pk, second.pk, third.pk]
    assert len({use.rows for use in uses}) == 1


def heir_of(earlier: Run) -> Run:
    """A run of a file alone, with the earlier one's model."""
    file = Path(settings.RUNS_DIR).with_name("own.jsonl")
    file.write_bytes(lines(*past_rows(2, 1)))
    configuration = Seq2Seq(model=str(earlier.public_id))
    return make_run(study=earlier.study, files={"test": file}, configuration=configuration)
