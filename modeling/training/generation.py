"""Answers of a model, many at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from modeling.training.batches import by_length
from modeling.training.device import Device


def in_batches(
    encoded: Sequence[Sequence[int]],
    size: int,
    answer: Callable[[list[Sequence[int]]], list[Any]],
    after: Callable[[int], None],
) -> list[Any]:
    """An answer to each, in their order. `after` hears how many there are so far."""
    answers: list[Any] = [None] * len(encoded)
    done = 0
    for places in by_length([len(one) for one in encoded], size):
        for place, found in zip(places, answer([encoded[place] for place in places]), strict=True):
            answers[place] = found
        done += len(places)
        after(done)
    return answers


@torch.inference_mode()
def generate(
    model: Any,
    tokenizer: Any,
    inputs: Sequence[Sequence[int]],
    device: Device,
    /,
    **settings: Any,
) -> list[str]:
    """Decoder-only models go on after an input; others answer to it."""
    is_causal = not model.config.is_encoder_decoder
    batch = padded(inputs, tokenizer.pad_token_id, on_left=is_causal)
    mask = padded([[1] * len(one) for one in inputs], 0, on_left=is_causal)
    with device.autocast():
        outputs = model.generate(
            input_ids=batch.to(device.torch),
            attention_mask=mask.to(device.torch),
            pad_token_id=tokenizer.pad_token_id,
            **settings,
        )
    start = batch.shape[1] if is_causal else 1
    return [read(tokenizer, ids) for ids in outputs[:, start:].tolist()]


def read(tokenizer: Any, ids: list[int]) -> str:
    """Up to the first end. Other tokens stay: some of them name sentences."""
    if tokenizer.eos_token_id in ids:
        ids = ids[: ids.index(tokenizer.eos_token_id)]
    kept = [one for one in ids if one != tokenizer.pad_token_id]
    return str(tokenizer.decode(kept, skip_special_tokens=False)).strip()


def padded(rows: Sequence[Sequence[int]], fill: int, *, on_left: bool = False) -> torch.Tensor:
    """To the longest, and to a multiple of 8, which suits the hardware."""
    width = -(-max(map(len, rows)) // 8) * 8
    filled = torch.full((len(rows), width), fill, dtype=torch.long)
    for row, values in zip(filled, rows, strict=True):
        place = slice(width - len(values), width) if on_left else slice(0, len(values))
        row[place] = torch.tensor(values, dtype=torch.long)
    return filled
