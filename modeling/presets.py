"""Settings as they were published: for each model and task, what a configuration begins with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modeling.configuration import Configuration
from modeling.methods import METHODS

# Batch sizes in the order of these tasks. Those of BERT and RoBERTa were not published: 16 is ours.
TASKS = ("state-inference", "story-revision", "state-change")
T5: dict[str, Any] = {"learning_rate": 1e-4, "weight_decay": 1e-6}
ENCODER: dict[str, Any] = {"learning_rate": 5e-6, "weight_decay": 1e-6, "batch_size": 16}
FEW_SHOT: dict[str, Any] = {
    "examples": [5, 10, 15],
    "pool_size": 200,
    "sample_size": 200,
    "temperature": 0.9,
    "frequency_penalty": 0.5,
    "max_new_tokens": 100,
}


@dataclass(frozen=True)
class Preset:
    """A method's settings, by the tasks that they are for."""

    method: str
    by_task: Mapping[str, Mapping[str, Any]]


def _t5(model: str, epochs: int, batch_sizes: tuple[int, ...]) -> Preset:
    common = T5 | {"model": model, "epochs": epochs}
    sizes = zip(TASKS, batch_sizes, strict=True)
    return Preset("seq2seq", {task: common | {"batch_size": size} for task, size in sizes})


def _encoder(model: str, epochs: int) -> Preset:
    return Preset("classification", {TASKS[0]: ENCODER | {"model": model, "epochs": epochs}})


def _few_shot(method: str) -> Preset:
    return Preset(method, dict.fromkeys(TASKS[1:], FEW_SHOT))


PRESETS: dict[str, Preset] = {
    "t5-base": _t5("t5-base", 7, (16, 12, 10)),
    "t5-large": _t5("t5-large", 5, (8, 4, 4)),
    "bert-base": _encoder("bert-base-uncased", 7),
    "bert-large": _encoder("bert-large-uncased", 5),
    "roberta-base": _encoder("roberta-base", 7),
    "roberta-large": _encoder("roberta-large", 5),
    "few-shot-local": _few_shot("prompt-local"),
    "few-shot-endpoint": _few_shot("prompt-endpoint"),
}


def preset(name: str, task: str, /, **changes: Any) -> Configuration:
    """Raises KeyError where there is no such preset for the task, and BadConfiguration, also where
    a change is called `name` or `task`."""
    found = PRESETS[name]
    return METHODS[found.method].from_dict({**found.by_task[task], **changes})
