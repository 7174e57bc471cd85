"""Configurations: checked before a model is loaded, to JSON and back."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError
from decimal import Decimal
from typing import Any

import pytest

from config.embedded.layout import BASE_DIR
from modeling.configuration import BadConfiguration
from modeling.methods import METHODS, EndpointPrompting
from modeling.presets import PRESETS, preset

ENDPOINT = {"endpoint": "own", "model": "small", "examples": [5]}
NEEDED = {
    "few-shot-local": {"model": "small", "bertscore_model": "bert"},
    "few-shot-endpoint": {"model": "small", "endpoint": "own", "bertscore_model": "bert"},
}


@pytest.mark.parametrize(
    ("name", "epochs", "batch_sizes", "rate"),
    [
        ("t5-base", 7, (16, 12, 10), 1e-4),
        ("t5-large", 5, (8, 4, 4), 1e-4),
        ("bert-base", 7, (16,), 5e-6),
        ("bert-large", 5, (16,), 5e-6),
        ("roberta-base", 7, (16,), 5e-6),
        ("roberta-large", 5, (16,), 5e-6),
    ],
)
def test_presets_have_the_published_settings(
    name: str, epochs: int, batch_sizes: tuple[int, ...], rate: float
) -> None:
    found: list[Any] = [preset(name, task) for task in PRESETS[name].by_task]

    assert tuple(one.batch_size for one in found) == batch_sizes
    assert {(one.epochs, one.learning_rate, one.weight_decay) for one in found} == {
        (epochs, rate, 1e-6)
    }
    if name.startswith("t5"):
        assert {(one.decoding, one.top_p, one.max_new_tokens) for one in found} == {
            ("nucleus", 0.93, 100)
        }


def test_few_shot_presets_have_the_published_settings() -> None:
    found: Any = preset("few-shot-local", "state-change", **NEEDED["few-shot-local"])

    assert found.examples == (5, 10, 15)
    assert (found.temperature, found.frequency_penalty, found.max_new_tokens) == (0.9, 0.5, 100)
    assert (found.pool_size, found.sample_size) == (200, 200)


@pytest.mark.parametrize("name", PRESETS)
def test_a_configuration_is_the_same_after_json(name: str) -> None:
    for task in PRESETS[name].by_task:
        one = preset(name, task, **NEEDED.get(name, {}))

        assert type(one).from_dict(json.loads(json.dumps(one.as_dict()))) == one


def test_prices_are_exact_after_json() -> None:
    one = EndpointPrompting.from_dict(ENDPOINT | {"input_usd_per_million": "0.15"})

    assert one.input_usd_per_million == Decimal("0.15")
    assert EndpointPrompting.from_dict(json.loads(json.dumps(one.as_dict()))) == one


@pytest.mark.parametrize("price", ["0.15", 0.15])
def test_a_price_may_be_a_number(price: object) -> None:
    """As `--set` and the API bring it."""
    one = EndpointPrompting.from_dict(ENDPOINT | {"input_usd_per_million": price})

    assert one.input_usd_per_million == Decimal("0.15")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"examples": 5}, "Give a list, such as [5, 10]."),
        ({"selections": "random"}, 'Give a list, such as ["curated", "random", "nearest"].'),
        ({"pool": "a"}, 'Give a list, such as ["one", "two"].'),
        ({"api": "chats"}, "Give one of these: completions, chat."),
        ({"parallel": 1.5}, "Give a whole number."),
        ({"temperature": "high"}, "Give a number."),
        ({"input_usd_per_million": True}, "Give a number."),
        ({"model": 7}, "Give a text; a number that is meant as one stands in quotation marks."),
    ],
)
def test_what_does_not_fit_is_told_what_would(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        EndpointPrompting.from_dict(ENDPOINT | changes)

    assert {name: str(problem) for name, problem in refused.value.problems.items()} == {
        next(iter(changes)): says
    }


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(preset("t5-base", "state-change"), "epochs", 1)  # noqa: B010


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"epochs": 0}, "epochs"),
        ({"epochs": 1.5}, "epochs"),
        ({"epochs": True}, "epochs"),
        ({"epochs": "7"}, "epochs"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"learning_rate": float("inf")}, "learning_rate"),
        ({"learning_rate": 10**400}, "learning_rate"),
        ({"batch_size": 10**400}, "batch_size"),
        ({"epochs": 10**9 + 1}, "epochs"),
        ({"model": "t5\0base"}, "model"),
        ({"revision": "\ud800"}, "revision"),
        ({"model": "t" * 201}, "model"),
        ({"model": "/models/../other"}, "model"),
        ({"bertscore_model": ".."}, "bertscore_model"),
        ({"revision": "../../other"}, "revision"),
        ({"gguf_file": "../small.gguf"}, "gguf_file"),
        ({"gguf_file": "/models/small.gguf"}, "gguf_file"),
        ({"top_p": 1.5}, "top_p"),
        ({"model": " "}, "model"),
        ({"decoding": "beam"}, "decoding"),
        ({"pieces": 13}, "pieces"),
        ({"tempo": 1}, "tempo"),
        ({"name": "x"}, "name"),
        ({"task": "x"}, "task"),
    ],
)
def test_what_cannot_be_run_is_refused_by_field(changes: dict[str, Any], wrong: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        preset("t5-base", "story-revision", **changes)

    assert list(refused.value.problems) == [wrong]
    assert str(refused.value)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"examples": [5, 10]}, "bertscore_model"),
        ({"examples": []}, "examples"),
        ({"examples": [5, 5], "bertscore_model": "bert"}, "examples"),
        ({"examples": [0]}, "examples"),
        ({"examples": [201]}, "pool_size"),
        ({"pool": ["a", "b"]}, "pool_size"),
        ({"selections": ["curated"], "curated": ["a", "b"]}, "curated"),
        ({"selections": ["nearest"]}, "encoder"),
        ({"model": "../small"}, "model"),
        ({"encoder": "bert/../other"}, "encoder"),
        ({"endpoint": "http://other.example"}, "endpoint"),
        ({"parallel": 0}, "parallel"),
        ({"input_usd_per_million": "cheap"}, "input_usd_per_million"),
        ({"input_usd_per_million": "1e999999"}, "input_usd_per_million"),
        ({"input_usd_per_million": "Infinity"}, "input_usd_per_million"),
        ({"output_usd_per_million": "NaN"}, "output_usd_per_million"),
        ({"pool": ["a", "b", "c", "d", "e", "\0"]}, "pool"),
    ],
)
def test_prompting_is_refused_by_field(changes: dict[str, Any], wrong: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        EndpointPrompting.from_dict(ENDPOINT | changes)

    assert wrong in refused.value.problems


def test_what_is_missing_is_named() -> None:
    with pytest.raises(BadConfiguration) as refused:
        EndpointPrompting.from_dict({})

    assert set(refused.value.problems) == {"model", "endpoint"}


def test_every_method_has_its_slug_and_tasks() -> None:
    for slug, cls in METHODS.items():
        assert cls.slug == slug
        assert cls.for_tasks


def test_configurations_load_no_model_library() -> None:
    code = (
        "import sys, modeling.presets; "
        "sys.exit(bool({'torch', 'transformers', 'accelerate'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, capture_output=True)

    assert done.returncode == 0, done.stderr
