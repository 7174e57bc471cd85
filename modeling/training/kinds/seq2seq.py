"""Models with an encoder and a decoder: T5, BART."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from transformers import AutoModelForSeq2SeqLM

from modeling.instances import Instance
from modeling.methods import Seq2Seq
from modeling.training.device import Device
from modeling.training.generation import padded
from modeling.training.kinds.classification import read_by_encoder
from modeling.training.kinds.generating import written
from modeling.training.kinds.kind import IGNORED, Answer, Example, tokens


@dataclass(frozen=True)
class Seq2SeqKind:
    configuration: Seq2Seq
    auto: ClassVar[Any] = AutoModelForSeq2SeqLM
    answers_quickly: ClassVar[bool] = False

    def model_settings(self) -> dict[str, Any]:
        return {}

    def examples(self, tokenizer: Any, instances: Sequence[Instance]) -> list[Example]:
        inputs = tokens(
            tokenizer, [one.text for one in instances], self.configuration.max_input_tokens
        )
        targets = [one.target for one in instances]
        labels = tokens(tokenizer, targets, self.configuration.max_target_tokens)
        return [Example(*pair) for pair in zip(inputs, labels, strict=True)]

    def tensors(self, examples: Sequence[Example], fill: int) -> dict[str, torch.Tensor]:
        return {
            **read_by_encoder([one.inputs for one in examples], fill),
            "labels": padded([one.labels for one in examples], IGNORED),
        }

    def answers(
        self,
        model: Any,
        tokenizer: Any,
        texts: Sequence[str],
        device: Device,
        after: Callable[[int], None],
    ) -> list[Answer]:
        encoded = tokens(tokenizer, texts, self.configuration.max_input_tokens)
        return written(self.configuration, model, tokenizer, encoded, device, after)
