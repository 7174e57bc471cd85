"""Experts' labels of twenty outputs and of twenty states, and the tables worked out from them by
hand."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.admin.report_figure import figure_of
from evaluation.rating.sources.runs import outputs_of_runs
from evaluation.reports.making import Asked, make_report
from evaluation.reports.registry import find_report
from evaluation.reports.runs.reading import runs_reports_for
from evaluation.services.instruments import find_instrument
from modeling.instances.instance import instance
from studies.models import Study
from tests.evaluation.rated import each, make_item
from tests.evaluation.test_runs_reports import generate, instances, make_run
from tests.modeling.tuples import make_tuple
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db
# What two systems got wrong in ten stories each.
LABELS = {
    "t5-base": (
        *("not_entailed", "not_entailed", "not_entailed", "contradiction", "irrelevant"),
        *("illogical", "correct", "correct", "not_entailed", "correct"),
    ),
    "t5-large": (
        *("correct", "correct", "explicit", "correct", "correct"),
        *("contradiction", "correct", "correct", "explicit", "contradiction"),
    ),
}
# Of twenty states: the type, and which of the four answers a model gave are right.
STATES = (
    *(("emotional", "1111"),) * 4,
    *(("emotional", "1110"),) * 2,
    *(("emotional", "0000"),) * 2,
    *(("physical", "1100"),) * 3,
    *(("physical", "1111"),) * 1,
    *(("physical", "1010"),) * 2,
    *(("societal", "1111"),) * 3,
    *(("societal", "0111"),) * 3,
)


@pytest.fixture
def study() -> Study:
    return make_study(slug="evenings")


def report(name: str, *more: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    given = ("--study", "evenings", "--format", "json", *more)
    call_command("report", name, *given, stdout=out)
    rows: list[dict[str, Any]] = json.loads(out.getvalue())
    return rows


def test_shares_of_errors_among_the_incorrect(study: Study) -> None:
    for system, labels in LABELS.items():
        for n, label in enumerate(labels):
            answers = each("error", label)
            make_item(study, "story-revision-errors", *answers, system=system, group=f"t{n}")

    rows = report("errors")

    found = {(row["system"], row["metric"]): (row["value"], row["n"]) for row in rows}
    assert found == {
        ("t5-base", "incorrect"): (70, 10),
        ("t5-base", "illogical"): (pytest.approx(100 / 7), 7),
        ("t5-base", "irrelevant"): (pytest.approx(100 / 7), 7),
        ("t5-base", "contradiction"): (pytest.approx(100 / 7), 7),
        ("t5-base", "not_entailed"): (pytest.approx(400 / 7), 7),
        ("t5-base", "explicit"): (0, 7),
        ("t5-large", "incorrect"): (40, 10),
        ("t5-large", "illogical"): (0, 4),
        ("t5-large", "irrelevant"): (0, 4),
        ("t5-large", "contradiction"): (50, 4),
        ("t5-large", "not_entailed"): (0, 4),
        ("t5-large", "explicit"): (50, 4),
    }


def test_experts_who_differ_share_an_output(study: Study) -> None:
    make_item(study, "state-change-errors", *each("error", "reversed", "correct"), group="t1")
    make_item(study, "state-change-errors", *each("error", "no_change", "reversed"), group="t2")

    found = {row["metric"]: row["value"] for row in report("errors")}

    assert (found["incorrect"], found["reversed"]) == (75, pytest.approx(200 / 3))
    assert found["no_change"] == pytest.approx(100 / 3)


def test_a_system_without_errors_has_no_shares_of_them(study: Study) -> None:
    make_item(study, "story-revision-errors", *each("error", "correct"))

    assert [(row["metric"], row["value"]) for row in report("errors")] == [("incorrect", 0)]


@pytest.mark.parametrize("labels", [["irrelevant"] * 4, ["correct"]])
def test_where_no_output_differs_the_interval_is_unknown(study: Study, labels: list[str]) -> None:
    """Its columns stay in the table."""
    for n, label in enumerate(labels):
        make_item(study, "story-revision-errors", *each("error", label), group=f"t{n}")

    (incorrect, *_categories) = report("errors")

    assert incorrect.keys() == {"system", "metric", "value", "n", "ci_low", "ci_high"}
    assert (incorrect["ci_low"], incorrect["ci_high"]) == (None, None)


def test_the_plot_has_no_line_for_an_interval_that_is_unknown(study: Study) -> None:
    for n, (always, once) in enumerate([("illogical", "correct"), ("illogical", "illogical")]):
        make_item(study, "story-revision-errors", *each("error", always), group=f"t{n}")
        make_item(study, "story-revision-errors", *each("error", once), group=f"t{n}", system="B")

    drawn = figure_of(make_report(study, find_report("errors"), Asked()))

    ends = {row["row"]: (row["low"], row["high"]) for row in drawn.rows}
    assert ends["Incorrect · A"] == (None, None)
    assert ends["Incorrect · B"] == (0, 100)
    assert [*ends][:2] == ["Incorrect · A", "Incorrect · B"]
    for layer in drawn.chart["layer"]:
        assert layer["encoding"]["y"]["scale"]["domain"] == [*ends]


def test_absent_outputs_have_no_errors_to_expect(study: Study) -> None:
    make_item(study, "story-revision-errors", *each("error", "correct"))

    with pytest.raises(CommandError, match="does not say what an absent item scores"):
        report("errors", "--expected-items", "20")


def test_accuracy_by_type_of_state(study: Study) -> None:
    run = make_run(study, "state-inference", name="t5")
    for n, (state_type, rights) in enumerate(STATES):
        make_item(study, "state-type", *each("state_type", state_type), group=f"t{n}")
        for one, right in zip(instances(run.task, make_tuple(key=f"t{n}")), rights, strict=True):
            generate(run, one, one.target if right == "1" else "no answer")

    rows = report("state_types")

    assert [(row["type"], row["metric"], row["value"], row["n"]) for row in rows] == [
        ("societal", "accuracy", 87.5, 24),
        ("societal", "contrastive", 75, 12),
        ("emotional", "accuracy", pytest.approx(100 * 22 / 32), 32),
        ("emotional", "contrastive", pytest.approx(100 * 10 / 16), 16),
        ("physical", "accuracy", pytest.approx(100 * 14 / 24), 24),
        ("physical", "contrastive", pytest.approx(100 * 5 / 12), 12),
    ]


def test_a_state_on_whose_type_experts_differ_has_none(study: Study) -> None:
    run = make_run(study, "state-inference")
    make_item(study, "state-type", *each("state_type", "societal", "emotional"), group="t1")
    make_item(study, "state-type", *each("state_type", *["societal"] * 2, "physical"), group="t2")
    for key in ("t1", "t2"):
        for one in instances(run.task, make_tuple(key=key)):
            generate(run, one, one.target)

    assert [(row["type"], row["n"]) for row in report("state_types")] == [
        ("societal", 4),
        ("societal", 2),
    ]


def test_outputs_of_runs_are_laid_before_experts_as_they_are(study: Study) -> None:
    """An expert sees both states of an output at once, as the categories ask about the two."""
    run = make_run(study, "state-change")
    fields = {"story": ["A b."], "revision": ["A c."]}
    generate(run, instance("t1", "forward", "", "", fields), "state1: x. state2: y.")
    declared = find_instrument("state-change-errors").declared

    [one] = outputs_of_runs([run], declared=declared).outputs

    assert one.fields == fields | {"state": "x.", "mod_state": "y."}
    assert (one.group, one.part) == ("t1", "forward")


def test_without_labels_there_is_no_table(study: Study) -> None:
    make_run(study, "state-inference")

    for name in ("errors", "state_types"):
        with pytest.raises(CommandError):
            report(name)


def test_types_of_states_are_offered_where_experts_found_some(study: Study) -> None:
    make_run(study, "state-inference")
    make_item(study, "state-type", *each("state_type", "societal", "emotional"), group="t1")

    assert "state_types" not in [one.name for one in runs_reports_for(study)]

    make_item(study, "state-type", *each("state_type", "societal"), group="t2")

    assert "state_types" in [one.name for one in runs_reports_for(study)]
