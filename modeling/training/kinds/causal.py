"""Models that go on after a text: GPT-2, Llama."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from transformers import AutoModelForCausalLM

from modeling.instances import Instance
from modeling.methods import Causal
from modeling.training.device import Device
from modeling.training.generation import padded
from modeling.training.kinds.classification import read_by_encoder
from modeling.training.kinds.generating import written
from modeling.training.kinds.kind import IGNORED, Answer, Example, tokens

# Stands between a text and what goes on after it.
BETWEEN = "\n"


@dataclass(frozen=True)
class CausalKind:
    configuration: Causal
    auto: ClassVar[Any] = AutoModelForCausalLM
    answers_quickly: ClassVar[bool] = False

    def model_settings(self) -> dict[str, Any]:
        return {}

    def examples(self, tokenizer: Any, instances: Sequence[Instance]) -> list[Example]:
        """Only the target is learnt, and that it ends."""
        before = self._prompts(tokenizer, [one.text for one in instances])
        targets = tokens(
            tokenizer,
            [one.target for one in instances],
            self.configuration.max_target_tokens - 1,
            add_special_tokens=False,
        )
        end = [tokenizer.eos_token_id]
        return [
            Example([*text, *target, *end], [IGNORED] * len(text) + [*target, *end])
            for text, target in zip(before, targets, strict=True)
        ]

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
        encoded = self._prompts(tokenizer, texts)
        return written(self.configuration, model, tokenizer, encoded, device, after)

    def _prompts(self, tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
        most = self.configuration.max_input_tokens
        found = tokens(tokenizer, [text + BETWEEN for text in texts], most)
        return [ids[:-1] if ids[-1:] == [tokenizer.eos_token_id] else ids for ids in found]
