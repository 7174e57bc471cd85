"""What a kind of model has to say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import torch

from modeling.instances import Instance
from modeling.training.device import Device

# What a loss passes over.
IGNORED = -100


class Example(NamedTuple):
    """An instance in tokens. `labels` are what is to be answered."""

    inputs: list[int]
    labels: list[int]

    @property
    def length(self) -> tuple[int, int]:
        return len(self.inputs), len(self.labels)


@dataclass(frozen=True)
class Answer:
    text: str
    details: dict[str, Any]


class Kind(Protocol):
    auto: ClassVar[Any]
    # So that answering the validation instances, too, costs little.
    answers_quickly: ClassVar[bool]

    def model_settings(self) -> dict[str, Any]: ...

    def examples(self, tokenizer: Any, instances: Sequence[Instance]) -> list[Example]: ...

    def tensors(self, examples: Sequence[Example], fill: int) -> dict[str, torch.Tensor]:
        """What the model is called with."""
        ...

    def answers(
        self,
        model: Any,
        tokenizer: Any,
        texts: Sequence[str],
        device: Device,
        after: Callable[[int], None],
    ) -> list[Answer]:
        """`after` hears how many there are so far."""
        ...


def tokens(tokenizer: Any, texts: Sequence[str], most: int, **settings: Any) -> list[list[int]]:
    """Each text's; nothing after the first `most`."""
    if not texts:
        return []
    found: list[list[int]] = tokenizer([*texts], truncation=True, max_length=most, **settings)[
        "input_ids"
    ]
    return found
