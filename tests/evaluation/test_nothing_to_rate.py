"""Rounds that would have nothing to rate, and gold answers that are none."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError

from evaluation.rating.outputs import BadItems, Outputs
from evaluation.rating.sources.file import outputs_of_file
from evaluation.services.instruments import find_instrument
from studies.models import Round, Study
from tests.evaluation.rating_rounds import planned, read
from tests.evaluation.test_rating_round import inference
from tests.evaluation.test_rating_sources import launch, make_run
from tests.studies.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


def test_a_round_of_outputs_that_cannot_be_read_is_refused(study: Study) -> None:
    make_run(study, ["no states", "none either"], name="dumb", task="state-change")

    for more in ([], ["--dry-run"]):
        with pytest.raises(CommandError, match="none of the outputs can be read"):
            launch(study, "--instrument=state-change", "--run=dumb", *more)
    with pytest.raises(BadItems, match="^There is nothing to rate.$"):
        planned(study, "state-change", Outputs([], {}))
    assert not Round.objects.exists()


def test_what_is_said_of_another_source_is_not_passed_over(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "outputs.jsonl"
    file.write_text('{"system": "a", "id": "b", "story": ["A."], "state": "C."}\n')
    asked = "--instrument=state-inference", f"--items={file}"

    with pytest.raises(CommandError, match="beside the outputs of runs alone"):
        launch(study, *asked, "--with-people")
    with pytest.raises(CommandError, match="A split is one of a release"):
        launch(study, *asked, "--split=test")
    assert not Round.objects.exists()


def test_nobody_rates_what_is_right_or_wrong(study: Study) -> None:
    make_run(study, ["true"], name="judge", task="state-inference")

    with pytest.raises(CommandError, match="right or wrong by themselves"):
        launch(study, "--instrument=state-inference", "--run=judge")


@pytest.mark.parametrize(
    ("given", "told"),
    [("1", "This has to be a number, without quotation"), (True, "“true” is no right answer")],
)
def test_what_is_wrong_with_a_gold_answer_is_said(study: Study, given: object, told: str) -> None:
    with pytest.raises(BadItems, match=told):
        read(study, "state-inference", [inference(gold={"inferable": given})])


@pytest.mark.parametrize("cell", ["societal", '"""societal"""'])
def test_a_word_in_a_table_is_a_gold_answer_as_it_stands(study: Study, cell: str) -> None:
    text = f"system,id,story,state,gold.state_type\na,b,C.,D.,{cell}\n"
    declared = find_instrument("state-type").declared

    found = outputs_of_file(
        io.BytesIO(text.encode()), name="a.csv", study=study, declared=declared, gold=True
    )

    (output,) = found.outputs
    assert str(output.gold["state_type"]) == "societal"
