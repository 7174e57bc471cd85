"""Tables of runs: of rows made by hand, to the number."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.reports.runs.rows import Answer, Family
from evaluation.reports.runs.tables import ablation, models, partitions
from modeling.instances import Instance, Tuple
from modeling.instances.building import Variant
from modeling.metrics.share import Share
from modeling.models import Generation, Run, RunState
from modeling.tasks.registry import TASKS
from studies.models import Study
from tests.evaluation.rated import each, make_item, together
from tests.modeling.tuples import make_tuple
from tests.studies.factories import make_study
from tests.studies.members import make_member

PARTS = ("story_state", "story_mod_state", "mod_story_state", "mod_story_mod_state")
LEARNT = Family("t5", "state-inference", "marked", "both", (1,))


def answers(run: int, *rights: str, rated: tuple[int, ...] = ()) -> list[Answer]:
    """Of each tuple four answers, such as `1101`, in the order of the parts."""
    return [
        Answer(
            run,
            f"t{n}",
            part,
            {"answer": {"accuracy": Share(float(right))}},
            is_rated=n in rated,
        )
        for n, word in enumerate(rights)
        for part, right in zip(PARTS, word, strict=True)
    ]


def found(lines: Any, *names: str) -> dict[tuple[str, ...], float]:
    return {(*(one.place[n] for n in names), one.metric): one.value for one in lines}


def test_models_over_all_outputs_and_over_what_people_rated() -> None:
    lines = models([LEARNT], answers(1, "1111", "1100", "1010", rated=(0, 1)))

    assert found(lines, "on") == {
        ("all", "accuracy"): pytest.approx(100 * 8 / 12),
        ("all", "contrastive"): pytest.approx(100 * 3 / 6),
        ("rated", "accuracy"): 75,
        ("rated", "contrastive"): 75,
    }


def test_the_inputs_stand_side_by_side() -> None:
    families = [
        LEARNT,
        Family("t5", "state-inference", "story", "both", (2,)),
        Family("t5", "story-revision", "marked", "both", (3,)),
    ]

    lines = list(ablation(families, answers(1, "1111") + answers(2, "1110")))

    assert found(lines, "input") == {
        ("marked", "accuracy"): 100,
        ("marked", "contrastive"): 100,
        ("story", "accuracy"): 75,
        ("story", "contrastive"): 50,
    }


def test_each_partition_is_tested_on_each() -> None:
    learnt = Family("t5", "state-inference", "marked", "original", (1,))

    lines = list(partitions([learnt], answers(1, "1110", "1100")))

    assert found(lines, "train", "test") == {
        ("original", "original", "accuracy"): 100,
        ("original", "original", "contrastive"): 100,
        ("original", "revised", "accuracy"): 25,
        ("original", "revised", "contrastive"): 0,
        ("original", "both", "accuracy"): 62.5,
        ("original", "both", "contrastive"): 50,
    }


def test_what_a_table_has_no_place_for_is_said_with_the_system() -> None:
    trained = Family("t5", "state-inference", "story", "original", (1,))

    for table, system in (
        (models, "t5, story, original"),
        (ablation, "t5, original"),
        (partitions, "t5, story"),
    ):
        assert {line.system for line in table([trained], answers(1, "1111"))} == {system}


def test_seeds_come_as_mean_and_standard_deviation_with_an_interval_over_tuples() -> None:
    family = Family("t5", "state-inference", "marked", "both", (1, 2))

    [accuracy, _contrastive] = ablation(
        [family], answers(1, "1111", "1100") + answers(2, "1111", "0000")
    )

    assert accuracy.value == 62.5
    assert accuracy.sd == pytest.approx(17.677670)
    assert accuracy.interval == (25, 100)
    assert accuracy.n == 8
    assert accuracy.as_dict()["seeds"] == 2


# --- From the database ----------------------------------------------------------------------------
@pytest.fixture
def study(db: None) -> Study:
    return make_study(slug="evenings")


def make_run(study: Study, task: str, **given: Any) -> Run:
    values = {
        "method": "seq2seq",
        "configuration": {"model": "t5-small"},
        "seed": 0,
        "queue": "gpu",
        "state": RunState.DONE,
        "files": {"test": {"name": "test.jsonl", "sha256": "0"}},
    }
    return Run.objects.create(study=study, task=task, finished_at=timezone.now(), **values | given)


def generate(run: Run, instance: Instance, output: str) -> None:
    task = TASKS[run.task]
    Generation.objects.create(
        run=run,
        instance_key=instance.key,
        tuple_key=instance.tuple_key,
        part=instance.part,
        fields=instance.fields,
        output=output,
        target=instance.target,
        score=task.score(instance.fields, output, instance.target).as_dict(),
    )


def instances(task: str, one: Tuple | None = None) -> list[Instance]:
    return Variant(task).instances(one or make_tuple())


def report(name: str, *more: str) -> str:
    out = io.StringIO()
    call_command("report", name, "--study", "evenings", *more, stdout=out)
    return out.getvalue()


def test_a_table_of_models_of_two_tasks(study: Study) -> None:
    for seed, outputs in enumerate([("true", "false", "false", "true"), ("true",) * 4]):
        run = make_run(study, "state-inference", seed=seed)
        for instance, output in zip(instances(run.task), outputs, strict=True):
            generate(run, instance, output)
    run = make_run(study, "story-revision", name="copy & paste", method="copy", configuration={})
    for instance in instances(run.task):
        generate(run, instance, instance.target)

    text = report("models").splitlines()

    assert text[0].split() == [*("task", "system", "on", "accuracy", "contrastive", "seeds", "n")]
    assert " ".join(text[2].split()) == (
        "state-inference t5-small all 75.0000 ± 35.3553 50.0000 ± 70.7107 2 4"
    )
    assert " ".join(text[-1].split()) == (
        "story-revision copy & paste all 100.0000 100.0000 100.0000 100.0000 1 2"
    )
    latex = report("models", "--format", "latex", "--system", "copy & paste")
    assert r"story-revision & copy \& paste & all & 100.00 &" in latex


def test_a_run_done_twice_is_no_second_seed(study: Study) -> None:
    for outputs in (("true",) * 4, ("true", "false", "false", "true")):
        run = make_run(study, "state-inference", seed=7)
        for instance, output in zip(instances(run.task), outputs, strict=True):
            generate(run, instance, output)

    [accuracy, _contrastive] = json.loads(report("models", "--format", "json"))

    assert (accuracy["value"], accuracy["sd"], accuracy["seeds"]) == (100, None, 1)


def test_numbers_one_a_line(study: Study) -> None:
    run = make_run(study, "state-inference", partition="revised")
    for instance in instances(run.task):
        generate(run, instance, instance.target)

    rows = json.loads(report("partitions", "--format", "json"))

    assert rows[0] == {
        "task": "state-inference",
        "system": "t5-small",
        "train": "revised",
        "test": "original",
        "metric": "accuracy",
        "value": 100.0,
        "sd": None,
        "seeds": 1,
        "ci_low": None,
        "ci_high": None,
        "n": 2,
    }
    assert len(rows) == 6


def test_what_people_rated_is_known_from_the_items_of_rounds_and_files(study: Study) -> None:
    run = make_run(study, "story-revision")
    for key in ("t1", "t2"):
        for instance in instances(run.task, make_tuple(key=key)):
            generate(run, instance, instance.target if key == "t1" else "")
    answered = together(inferable=(4,), logical=(1,), degree=(0,))
    make_item(study, "story-revision", *answered, group="t1")
    make_item(study, "state-inference", *each("inferable", 4), group="t2")

    rows = json.loads(report("models", "--format", "json"))

    exact = {row["on"]: (row["value"], row["n"]) for row in rows if row["metric"] == "exact"}
    assert exact == {"all": (50, 4), "rated": (100, 2)}


def test_runs_of_one_name_that_differ_in_more_than_their_seed_are_told_apart(study: Study) -> None:
    for epochs in (1, 2):
        configuration = {"model": "t5-small", "epochs": epochs}
        run = make_run(study, "state-inference", configuration=configuration)
        generate(run, instances(run.task)[0], "true")

    rows = json.loads(report("ablation", "--format", "json"))

    pks = sorted(Run.objects.values_list("pk", flat=True))
    assert [row["system"] for row in rows] == [f"t5-small ({pk})" for pk in pks]


def test_what_each_way_of_prompting_scored_and_which_was_kept(study: Study) -> None:
    for seed, scores in enumerate([(0.8, 0.9), (0.6, 0.5)]):
        grid: list[dict[str, Any]] = [
            {"cell": cell, "bertscore": score, "rows": 200}
            for cell, score in zip(("random-5", "nearest-10"), scores, strict=True)
        ]
        facts = {"grid": grid, "cell": max(grid, key=lambda row: row["bertscore"])["cell"]}
        make_run(study, "story-revision", method="prompt-endpoint", seed=seed, facts=facts)

    rows = json.loads(report("prompts", "--format", "json"))

    assert [(row["selection"], row["examples"], row["kept"], row["n"]) for row in rows] == [
        ("random", "5", "1", 200),
        ("nearest", "10", "1", 200),
    ]
    assert [row["value"] for row in rows] == pytest.approx([70, 70])
    assert rows[1]["sd"] == pytest.approx(28.284271)
    shown = [" ".join(line.split()) for line in report("prompts").splitlines()]
    assert "story-revision t5-small random 70.0000 ± 14.1421 – 2 200" in shown


def test_without_finished_runs_there_is_no_table(study: Study) -> None:
    make_run(study, "story-revision", state=RunState.FAILED)

    with pytest.raises(CommandError, match="no finished runs"):
        report("models")
    with pytest.raises(CommandError, match="no system “x” among the runs.*Known: none"):
        report("models", "--system", "x")


# --- On pages -----------------------------------------------------------------------------------
@pytest.fixture
def client(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study))
    return client


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:evaluation_{name}", args=args)


def test_the_page_of_a_study_leads_to_the_tables_of_its_runs(client: Client, study: Study) -> None:
    run = make_run(study, "state-inference")
    for one in instances(run.task):
        generate(run, one, "true")

    html = client.get(page("reports", study.pk)).content.decode()
    assert all(page("runs_report", study.pk, name) in html for name in ("models", "ablation"))
    shown = client.get(page("runs_report", study.pk, "partitions")).content.decode()
    taken = client.get(page("runs_report_file", study.pk, "partitions"), {"format": "csv"})

    assert "50.00 (0.00)" in shown
    assert reverse("admin:modeling_run_change", args=[run.pk]) in shown
    assert taken.content.decode().startswith("task,system,train,test,metric,value,sd,seeds,")
    assert taken["Content-Disposition"] == 'attachment; filename="evenings-partitions.csv"'


def test_prompts_are_offered_once_a_run_tried_several(client: Client, study: Study) -> None:
    def offered() -> bool:
        html = client.get(page("reports", study.pk)).content.decode()
        assert page("runs_report", study.pk, "models") in html
        return page("runs_report", study.pk, "prompts") in html

    make_run(study, "story-revision", facts={"cell": "random-5", "grid": []})
    assert not offered()

    grid = [{"cell": "random-5", "bertscore": 0.8, "rows": 200}]
    make_run(study, "story-revision", seed=2, facts={"cell": "random-5", "grid": grid})
    assert offered()
    assert client.get(page("runs_report", study.pk, "prompts")).status_code == 200


def test_a_report_that_no_run_suits_says_so(client: Client, study: Study) -> None:
    make_run(study, "story-revision")

    assert (
        page("runs_report", study.pk, "ablation")
        not in client.get(page("reports", study.pk)).content.decode()
    )
    answer = client.get(page("runs_report", study.pk, "ablation"))
    assert answer.status_code == 422
    assert "no finished runs" in answer.content.decode()
    for name in ("runs_report", "runs_report_file"):
        assert client.get(page(name, study.pk, "beauty")).status_code == 404


def test_only_who_researches_the_study_sees_its_runs(client: Client, study: Study) -> None:
    other = make_study(slug="mornings")

    assert client.get(page("runs_report", other.pk, "models")).status_code == 404
    client.logout()
    assert client.get(page("runs_report", study.pk, "models")).status_code == 302
