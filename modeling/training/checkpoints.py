"""A model in the middle of its training, to go on from or to use.

A folder as transformers reads it, and what the optimizer knows. Nothing is kept of random numbers:
those of a step come from the seed and the step's number.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from modeling.run_folder import RunFolder

OPTIMIZER, ORIGIN = "optimizer.pt", "origin.json"


def save(
    folder: RunFolder,
    step: int,
    *,
    model: Any,
    tokenizer: Any,
    optimizer: torch.optim.Optimizer,
    origin: Mapping[str, str],
) -> None:
    """`origin`: what the training began with. Raises OSError where the disk is full."""
    with folder.new_checkpoint(step) as place:
        model.save_pretrained(place)
        tokenizer.save_pretrained(place)
        with (place / OPTIMIZER).open("wb") as file:
            torch.save(optimizer.state_dict(), file)
        (place / ORIGIN).write_text(json.dumps(origin))


def origin_of(checkpoint: Path) -> dict[str, str]:
    read: dict[str, str] = json.loads((checkpoint / ORIGIN).read_text())
    return read


def restore_optimizer(
    checkpoint: Path, optimizer: torch.optim.Optimizer, device: torch.device
) -> None:
    state = torch.load(checkpoint / OPTIMIZER, map_location=device, weights_only=True)
    optimizer.load_state_dict(state)
