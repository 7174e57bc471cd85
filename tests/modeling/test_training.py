"""Fine-tuning: what is learnt, that it goes on where it stopped, and how it fails."""

import importlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from modeling.configuration import Configuration
from modeling.instances import Instance, state_change, state_inference, story_revision
from modeling.methods import METHODS, Causal, Classification, FineTuning, Seq2Seq
from modeling.reporting import Reporter, RunCancelled, RunFailure
from modeling.run_folder import Reason, RunFolder
from modeling.tasks.registry import TASKS
from modeling.training import run
from tests.modeling import tiny

REVISION, INFERENCE = "story-revision", "state-inference"


@dataclass(frozen=True)
class Place:
    """Models to begin with, and their instances."""

    path: Path
    revisions: list[Instance]
    inferences: list[Instance]
    t5: str
    bert: str
    llama: str

    def folder(self, name: str, configuration: Configuration, **given: Any) -> RunFolder:
        task = INFERENCE if isinstance(configuration, Classification) else REVISION
        instances = self.inferences if task == INFERENCE else self.revisions
        splits = {"train": instances[:16], "validation": instances[:4], "test": instances[:4]}
        return tiny.make_folder(self.path / name, configuration, task, **splits | given)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    path = tmp_path_factory.mktemp("models")
    tuples = tiny.made_up_tuples(16)
    revisions = [one for each in tuples for one in story_revision(each)]
    inferences = [one for each in tuples for one in state_inference(each)]
    return Place(
        path,
        revisions,
        inferences,
        t5=tiny.save_t5(path / "t5", revisions),
        bert=tiny.save_bert(path / "bert", inferences),
        llama=tiny.save_llama(path / "llama", revisions),
    )


def seq2seq(place: Place, **given: Any) -> Seq2Seq:
    small: dict[str, Any] = {
        "model": place.t5,
        "epochs": 3,
        "batch_size": 4,
        "learning_rate": 2e-3,
        "precision": "float32",
        "max_new_tokens": 8,
    }
    return Seq2Seq(**small | given)


def weights(folder: RunFolder) -> bytes:
    checkpoint = folder.latest_checkpoint()
    assert checkpoint is not None
    return (checkpoint / "model.safetensors").read_bytes()


def stop_at(monkeypatch: pytest.MonkeyPatch, folder: RunFolder, step: int) -> None:
    """Somebody asks to stop while this step is at work."""
    told = Reporter.step

    def cancelling(self: Reporter, at: int, *given: Any, **values: Any) -> None:
        if at == step:
            folder.request_cancel()
        told(self, at, *given, **values)

    monkeypatch.setattr(Reporter, "step", cancelling)


@pytest.mark.timeout(600)
def test_a_small_t5_learns_sixteen_tuples_by_heart(place: Place, tmp_path: Path) -> None:
    configuration = seq2seq(
        place,
        model=tiny.save_t5(tmp_path, place.revisions, dropout=0.0),
        epochs=40,
        batch_size=8,
        decoding="greedy",
        max_new_tokens=60,
    )
    folder = place.folder(
        "learnt",
        configuration,
        train=place.revisions,
        validation=(),
        test=place.revisions,
    )

    run(folder, configuration)

    events, _end = folder.events()
    assert [one["loss"] for one in events if "loss" in one][-1] < 0.15
    outputs = {one.key: one.text for one in folder.generations()}
    exact = [
        TASKS[REVISION].score(one.fields, outputs[one.key], one.target).shares["revision"]["exact"]
        for one in place.revisions
    ]
    assert sum(share.value for share in exact) / len(exact) >= 0.5


def test_a_stopped_run_goes_on_to_the_same_weights_and_outputs(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = seq2seq(place)
    whole = place.folder("whole", configuration)
    facts = run(whole, configuration)
    halved = place.folder("halved", configuration)

    with monkeypatch.context() as patch, pytest.raises(RunCancelled):
        stop_at(patch, halved, step=6)
        run(halved, configuration)
    kept = halved.latest_checkpoint()
    halved.claim("again")
    again = run(halved, configuration)

    assert kept is not None and kept.name.endswith("000006")
    assert weights(halved) == weights(whole)
    assert [*halved.generations()] == [*whole.generations()]
    assert again["model_revision"] == facts["model_revision"]
    assert (facts["steps"], facts["precision"], facts["device"]) == (12, "float32", "cpu")


def test_another_seed_comes_to_other_weights(place: Place) -> None:
    configuration = seq2seq(place, epochs=1)
    first, second = (
        place.folder(f"seed {seed}", configuration, test=(), validation=(), seed=seed)
        for seed in (1, 2)
    )

    run(first, configuration)
    run(second, configuration)

    assert weights(first) != weights(second)


def test_a_batch_in_pieces_comes_to_nearly_the_same(place: Place, tmp_path: Path) -> None:
    from safetensors.numpy import load

    # No dropout: its random numbers fall otherwise over pieces.
    model = tiny.save_t5(tmp_path, place.revisions, dropout=0.0)
    found = []
    for pieces in (1, 2):
        configuration = seq2seq(place, model=model, epochs=1, pieces=pieces, learning_rate=1e-4)
        folder = place.folder(f"pieces {pieces}", configuration, test=(), validation=())
        run(folder, configuration)
        found.append(load(weights(folder)))

    # A piece's loss is a mean over its own tokens.
    assert all(abs(found[0][name] - found[1][name]).max() < 1e-3 for name in found[0])


def test_a_classifier_answers_with_labels_and_their_shares(place: Place) -> None:
    configuration = Classification(
        model=place.bert, epochs=1, batch_size=8, precision="float32", generation_batch_size=3
    )
    folder = place.folder("classifier", configuration)

    facts = run(folder, configuration)

    outputs = [*folder.generations()]
    assert [one.key for one in outputs] == [one.key for one in place.inferences[:4]]
    for one in outputs:
        assert max(one.details, key=one.details.__getitem__) == one.text
        assert sum(one.details.values()) == pytest.approx(1)
    named = [one["metric_name"] for one in folder.events()[0] if "metric" in one]
    assert named == ["accuracy"]
    assert 0 <= facts["validation_accuracy"] <= 1


def test_a_causal_model_learns_targets_alone_and_is_read_after_its_prompt(place: Place) -> None:
    configuration = Causal(
        model=place.llama,
        epochs=2,
        batch_size=8,
        precision="float32",
        learning_rate=2e-3,
        max_new_tokens=6,
    )
    folder = place.folder("causal", configuration)

    run(folder, configuration)

    for output, instance in zip(folder.generations(), place.revisions, strict=False):
        assert "revise story" not in output.text
        assert output.key == instance.key


def talkative(model: Any) -> Any:
    """With weights so large that each input is answered in another way."""
    torch = importlib.import_module("torch")
    torch.manual_seed(3)
    with torch.no_grad():
        for weights in model.parameters():
            weights += 0.3 * torch.randn_like(weights)
    return model


@pytest.mark.parametrize("name", ["t5", "llama"])
def test_many_at_once_are_answered_as_one_by_one(place: Place, name: str) -> None:
    device, kinds, models = (
        importlib.import_module(f"modeling.training.{module}")
        for module in ("device", "kinds.registry", "models")
    )
    cls = {"t5": Seq2Seq, "llama": Causal}[name]
    texts = [one.text[: 60 + 9 * n] for n, one in enumerate(place.revisions[:6])]
    found = []
    for size in (1, 6):
        configuration = cls(
            model=getattr(place, name),
            decoding="greedy",
            max_new_tokens=12,
            generation_batch_size=size,
        )
        kind = kinds.kind_of(configuration)
        source = models.Source(configuration.model)
        model = talkative(models.load_model(kind.auto, source).eval())
        answers = kind.answers(
            model,
            models.load_tokenizer(source),
            texts,
            device.open_device("float32"),
            lambda _done: None,
        )
        found.append([one.text for one in answers])

    assert found[0] == found[1]
    assert len(set(found[0])) > 1


def test_a_run_of_ones_own_is_a_model_for_another(place: Place) -> None:
    name = "6f1d4ad1-6a5e-4f4e-8d4c-0a3f6a2c9b11"
    configuration = seq2seq(place, epochs=1)
    run(place.folder(name, configuration, validation=(), test=()), configuration)
    following = seq2seq(place, model=name, epochs=1, learning_rate=1e-9)
    folder = place.folder("following", following, validation=(), test=())

    facts = run(folder, following)

    assert facts["model_revision"].startswith("sha256:")
    assert weights(folder) != weights(RunFolder(place.path / name))


@pytest.mark.parametrize("precision", ["bfloat16", "auto"])
def test_half_the_bits_are_enough_to_learn(place: Place, precision: str) -> None:
    configuration = seq2seq(place, epochs=1, precision=precision)
    folder = place.folder(f"precision {precision}", configuration, test=())

    facts = run(folder, configuration)

    assert facts["precision"] in {"bfloat16", "float32"}
    assert facts["validation_loss"] > 0


# --- How it fails ---------------------------------------------------------------------------


def refused(folder: RunFolder, configuration: FineTuning) -> RunFailure:
    with pytest.raises(RunFailure) as failure:
        run(folder, configuration)
    return failure.value


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_no_weights_of_it(place: Place) -> None:
    configuration = seq2seq(place, learning_rate=1e9, largest_gradient=0)
    folder = place.folder("no number", configuration)

    failure = refused(folder, configuration)

    assert failure.reason == Reason.NOT_A_NUMBER
    assert int(failure.detail) > 1
    assert folder.latest_checkpoint() is None


def test_a_model_that_is_not_there_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = importlib.import_module("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    no_run = "6f1d4ad1-0000-4f4e-8d4c-0a3f6a2c9b11"
    for name in ("nobody/nothing", str(place.path / "empty"), no_run):
        configuration = seq2seq(place, model=name)

        failure = refused(place.folder("not there", configuration), configuration)

        assert (failure.reason, failure.detail) == (Reason.NO_MODEL, name)


@pytest.mark.parametrize("way", ["absolute", "relative", "link"])
@pytest.mark.parametrize("setting", ["model", "bertscore_model"])
def test_a_place_in_a_run_is_no_name_of_its_model(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, setting: str
) -> None:
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "runs/6f1d4ad1-6a5e-4f4e-8d4c-0a3f6a2c9b11/checkpoints/step-000000000010"
    shutil.copytree(place.t5, other)
    (tmp_path / "link").symlink_to(other)
    ways = {"absolute": str(other), "relative": str(other.relative_to(tmp_path)), "link": "link"}
    configuration = seq2seq(place, epochs=1, **{setting: ways[way]})
    few = place.revisions[:4]
    folder = tiny.make_folder(
        tmp_path / "runs/own", configuration, REVISION, train=few, test=few[:1]
    )

    failure = refused(folder, configuration)

    assert (failure.reason, failure.detail) == (Reason.FOLDER_OF_A_RUN, ways[way])


def test_an_encoder_is_not_named_by_its_place_in_a_run(place: Place, tmp_path: Path) -> None:
    vectors = importlib.import_module("modeling.training.encoder").cls_vectors
    other = tmp_path / "6f1d4ad1-6a5e-4f4e-8d4c-0a3f6a2c9b11/checkpoints/step-000000000010"

    with pytest.raises(RunFailure, match=Reason.FOLDER_OF_A_RUN):
        vectors(RunFolder(tmp_path / "own"), str(other), ["She left."])


def test_a_full_disk_leaves_the_checkpoint_before_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = seq2seq(place, checkpoint_steps=4)
    folder = place.folder("full", configuration)
    runner = importlib.import_module("modeling.runner")
    checkpoints = importlib.import_module("modeling.training.checkpoints")
    save = checkpoints.torch.save

    def nearly_full(state: Any, file: Any) -> None:
        if folder.latest_checkpoint():
            with open("/dev/full", "wb", buffering=0) as full:
                save(state, full)
        save(state, file)

    monkeypatch.setattr(checkpoints.torch, "save", nearly_full)

    outcome = runner.carry_out(folder)

    kept = folder.latest_checkpoint()
    assert (outcome.state, outcome.reason) == ("failed", Reason.DISK_FULL)
    assert kept is not None and kept.name.endswith("000004")


def test_memory_that_is_full_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = importlib.import_module("torch")
    loop = importlib.import_module("modeling.training.loop")
    configuration = seq2seq(place)
    monkeypatch.setattr(loop, "loss_of", lambda *given: torch.empty(1 << 60))

    failure = refused(place.folder("memory", configuration), configuration)

    assert failure.reason == Reason.OUT_OF_MEMORY


def test_a_run_with_nothing_to_learn_from_is_refused(place: Place) -> None:
    configuration = seq2seq(place)

    failure = refused(place.folder("nothing", configuration, train=()), configuration)

    assert (failure.reason, failure.detail) == (Reason.NO_INSTANCES, "train")


def test_a_target_that_is_no_label_is_refused(place: Place) -> None:
    configuration = Classification(model=place.bert, labels=("no", "yes"), precision="float32")

    failure = refused(place.folder("labels", configuration), configuration)

    assert (failure.reason, failure.detail) == (Reason.BAD_CONFIGURATION, "labels: false")


def test_a_task_that_a_method_cannot_do_is_refused(place: Place) -> None:
    configuration = seq2seq(place)
    folder = place.folder("task", configuration)
    config = folder.config()
    classification = METHODS["classification"].from_dict({"model": place.bert})
    assert config["task"] not in classification.for_tasks

    with pytest.raises(RunFailure) as failure:
        run(folder, classification)

    assert failure.value.reason == Reason.BAD_CONFIGURATION


def test_a_checkpoint_is_a_folder_as_transformers_reads_it(place: Place) -> None:
    configuration = seq2seq(place, epochs=1)
    folder = place.folder("readable", configuration, validation=(), test=())
    run(folder, configuration)
    checkpoint = folder.latest_checkpoint()
    assert checkpoint is not None
    copied = place.path / "copied"
    shutil.copytree(checkpoint, copied)

    transformers = importlib.import_module("transformers")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(copied)
    tokenizer = transformers.AutoTokenizer.from_pretrained(copied)

    assert model.config.d_model == 128
    assert tokenizer("<extra_id_1>")["input_ids"][0] == tokenizer.convert_tokens_to_ids(
        "<extra_id_1>"
    )
    assert json.loads((copied / "origin.json").read_text())["model_revision"]


def test_outputs_are_scored_by_the_vectors_of_a_named_model(place: Place) -> None:
    configuration = seq2seq(place, epochs=1, bertscore_model=place.bert, bertscore_layer=1)
    folder = place.folder("scored", configuration)

    run(folder, configuration)

    scores = [one.details["bertscore"] for one in folder.generations()]
    assert len(scores) == 4
    assert all(score.keys() == {"revision"} and 0 < score["revision"] <= 1 for score in scores)


def test_bertscore_is_of_each_part_and_highest_for_what_people_wrote(place: Place) -> None:
    bertscore = importlib.import_module("modeling.training.bertscore")
    first, second = place.revisions[0], place.revisions[2]
    folder = place.folder("bertscore", seq2seq(place))

    right, wrong = bertscore.bertscores(
        folder,
        place.bert,
        1,
        TASKS[REVISION],
        [(first, first.target), (second, "<extra_id_1>: Something else.")],
    )

    assert right["revision"] == pytest.approx(1, abs=1e-4)
    assert wrong["revision"] < right["revision"]


def test_an_empty_text_scores_nothing_and_a_model_that_is_not_there_is_named(place: Place) -> None:
    bertscores = importlib.import_module("modeling.training.bertscore").bertscores
    folder = place.folder("compared", seq2seq(place))
    [one] = state_change(tiny.made_up_tuples(1)[0])[:1]
    asked = (TASKS["state-change"], [(one, "state1: Ines state2:")])

    [found] = bertscores(folder, place.bert, 0, *asked)

    assert 0 < found["state"] < 1
    assert found["mod_state"] == 0
    with pytest.raises(RunFailure, match=Reason.NO_MODEL):
        bertscores(folder, str(place.path / "nothing"), 0, *asked)
