"""BERTScore: how near the words of two texts are by a model's vectors.

Zhang et al. (2020), "BERTScore: Evaluating Text Generation with BERT".
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bert_score import BERTScorer

from modeling.instances import Instance
from modeling.metrics.texts import BERTSCORE
from modeling.run_folder import TEST, RunFolder
from modeling.tasks.registry import TASKS
from modeling.tasks.task import ModelTask
from modeling.training.device import open_device
from modeling.training.models import Source, load_config, place_of

BATCH_SIZE = 32


def score_generations(folder: RunFolder, model: str, layer: int) -> None:
    """Keep with each output its BERTScore, by part; where no model is named there is none. Raises
    RunFailure."""
    task = TASKS[folder.config()["task"]]
    if not model or task.texts is None:
        return
    outputs = list(folder.generations())
    instances = {one.key: one for one in folder.instances(TEST)}
    answered = [(instances[output.key], output.text) for output in outputs]
    scores = bertscores(folder, model, layer, task, answered)
    folder.write_generations(
        replace(output, details={**output.details, BERTSCORE: by_part})
        for output, by_part in zip(outputs, scores, strict=True)
    )


def bertscores(
    folder: RunFolder,
    model: str,
    layer: int,
    task: ModelTask,
    answered: Sequence[tuple[Instance, str]],
) -> list[dict[str, float]]:
    """F1 of each part of an output, by the vectors of `layer` (0: of the last); an empty text has
    no vectors and scores 0. Raises RunFailure."""
    assert task.texts is not None
    compared = [task.texts(one.fields, output, one.target) for one, output in answered]
    scores = [dict.fromkeys(by_part, 0.0) for by_part in compared]
    whole = [
        (number, part, *pair)
        for number, by_part in enumerate(compared)
        for part, pair in by_part.items()
        if all(text.strip() for text in pair)
    ]
    if whole:
        outputs, references = [one[2] for one in whole], [one[3] for one in whole]
        found = _scorer(folder, model, layer).score(outputs, references)[2].tolist()
        for (number, part, *_pair), f1 in zip(whole, found, strict=True):
            scores[number][part] = min(1.0, f1)
    return scores


def _scorer(folder: RunFolder, model: str, layer: int) -> Any:
    source = Source(place_of(model, folder), model)
    config = load_config(source)
    scorer = BERTScorer(
        model_type=source.place,
        num_layers=layer or config.num_hidden_layers,
        batch_size=BATCH_SIZE,
        device=str(open_device("float32").torch),
    )
    # A tokenizer that knows no limit says one that is no number of tokens.
    tokenizer = scorer._tokenizer
    positions = getattr(config, "max_position_embeddings", tokenizer.model_max_length)
    tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
    return scorer
