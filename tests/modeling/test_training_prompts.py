"""Few-shot prompting where PyTorch has a part: the grid, nearest examples, a local model."""

from pathlib import Path
from typing import Any

import pytest

from modeling.instances import story_revision
from modeling.methods import EndpointPrompting, LocalPrompting
from modeling.prompting import endpoint as client
from modeling.reporting import RunFailure
from modeling.run_folder import RunFolder
from modeling.training import run
from tests.modeling import tiny
from tests.modeling.endpoint import Answer, Asked, completion, endpoint

INSTANCES = [one for each in tiny.made_up_tuples(12) for one in story_revision(each)]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny.save_bert(tmp_path_factory.mktemp("bert"), INSTANCES)


def folder_of(path: Path, configuration: Any) -> RunFolder:
    splits: dict[str, Any] = {
        "train": INSTANCES[8:],
        "validation": INSTANCES[4:8],
        "test": INSTANCES[:4],
    }
    return tiny.make_folder(path, configuration, "story-revision", **splits)


def test_a_half_finished_grid_repeats_no_paid_call_and_keeps_its_best_cell(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only(asked: Asked, body: dict[str, Any]) -> Answer:
        """Other words with two examples than with one; the seventh request fails."""
        if len(asked.bodies) == 7:
            return 401, {}
        is_short = body["prompt"].count("Revised story:") == 3
        return completion(" It rained. It rained. It rained." if is_short else " xyz")

    monkeypatch.setenv("FABULA_ENDPOINT_OWN_KEY", "")
    monkeypatch.setattr(client, "FIRST_WAIT_SECONDS", 0.01)
    configuration = EndpointPrompting(
        model="small",
        endpoint="own",
        selections=("random", "nearest"),
        examples=(1, 2),
        sample_size=3,
        encoder=bert,
        bertscore_model=bert,
        bertscore_layer=1,
        parallel=1,
    )
    folder = folder_of(tmp_path / "grid", configuration)

    with endpoint(only) as asked:
        monkeypatch.setenv("FABULA_ENDPOINT_OWN_URL", asked.url)
        with pytest.raises(RunFailure):
            run(folder, configuration)
        facts = run(folder, configuration)

    # Four cells of three rows and four test rows, and the one that failed.
    assert len(asked.bodies) == 4 * 3 + 4 + 1
    assert facts["requests"] == 16
    assert [row["cell"] for row in facts["grid"]] == [
        "random-1",
        "random-2",
        "nearest-1",
        "nearest-2",
    ]
    scores = {row["cell"]: row["bertscore"] for row in facts["grid"]}
    assert facts["cell"] == max(scores, key=scores.__getitem__)
    assert {one.details["cell"] for one in folder.generations()} == {facts["cell"]}


@pytest.mark.parametrize("temperature", [0.9, 0.0])
def test_a_model_on_the_worker_answers_prompts(temperature: float, tmp_path: Path) -> None:
    configuration = LocalPrompting(
        model=tiny.save_llama(tmp_path / "llama", INSTANCES),
        examples=(2,),
        temperature=temperature,
        max_new_tokens=6,
        precision="float32",
        generation_batch_size=3,
    )
    found = []
    for name in ("first", "second"):
        folder = folder_of(tmp_path / name, configuration)
        facts = run(folder, configuration)
        found.append([*folder.generations()])

    assert found[0] == found[1]
    assert [one.key for one in found[0]] == [one.key for one in INSTANCES[:4]]
    assert facts["requests"] == 4
    assert facts["input_tokens"] > 100
