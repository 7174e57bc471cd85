"""What both kinds of models that write have in common."""

from collections.abc import Callable, Sequence
from typing import Any

from modeling.methods import Generating
from modeling.training.device import Device
from modeling.training.generation import generate, in_batches
from modeling.training.kinds.kind import Answer


def decoding(configuration: Generating) -> dict[str, Any]:
    """How the next token is chosen."""
    settings: dict[str, Any] = {"max_new_tokens": configuration.max_new_tokens, "num_beams": 1}
    if configuration.decoding == "greedy":
        return settings | {"do_sample": False}
    return settings | {
        "do_sample": True,
        "top_k": 0,
        "top_p": configuration.top_p,
        "temperature": configuration.temperature,
    }


def written(
    configuration: Generating,
    model: Any,
    tokenizer: Any,
    encoded: Sequence[Sequence[int]],
    device: Device,
    after: Callable[[int], None],
) -> list[Answer]:
    settings = decoding(configuration)

    def answer(inputs: list[Sequence[int]]) -> list[Answer]:
        texts = generate(model, tokenizer, inputs, device, **settings)
        return [Answer(text, {}) for text in texts]

    return in_batches(encoded, configuration.generation_batch_size, answer, after)
