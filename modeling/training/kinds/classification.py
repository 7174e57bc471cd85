"""Models that choose a label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from transformers import AutoModelForSequenceClassification

from modeling.instances import Instance
from modeling.methods import Classification
from modeling.reporting import RunFailure
from modeling.run_folder import Reason
from modeling.training.device import Device
from modeling.training.generation import in_batches, padded
from modeling.training.kinds.kind import Answer, Example, tokens


@dataclass(frozen=True)
class ClassificationKind:
    configuration: Classification
    auto: ClassVar[Any] = AutoModelForSequenceClassification
    answers_quickly: ClassVar[bool] = True

    def model_settings(self) -> dict[str, Any]:
        labels = dict(enumerate(self.configuration.labels))
        return {
            "num_labels": len(labels),
            "id2label": labels,
            "label2id": {label: number for number, label in labels.items()},
            # A head for other labels than ours is left behind.
            "ignore_mismatched_sizes": True,
        }

    def examples(self, tokenizer: Any, instances: Sequence[Instance]) -> list[Example]:
        """Raises RunFailure where a target is none of the labels."""
        numbers = {label: number for number, label in enumerate(self.configuration.labels)}
        if strange := sorted({one.target for one in instances} - set(numbers)):
            raise RunFailure(Reason.BAD_CONFIGURATION, f"labels: {strange[0][:100]}")
        inputs = tokens(
            tokenizer, [one.text for one in instances], self.configuration.max_input_tokens
        )
        labels = [[numbers[one.target]] for one in instances]
        return [Example(*pair) for pair in zip(inputs, labels, strict=True)]

    def tensors(self, examples: Sequence[Example], fill: int) -> dict[str, torch.Tensor]:
        inputs = [one.inputs for one in examples]
        return {
            **read_by_encoder(inputs, fill),
            "labels": torch.tensor([one.labels[0] for one in examples]),
        }

    def answers(
        self,
        model: Any,
        tokenizer: Any,
        texts: Sequence[str],
        device: Device,
        after: Callable[[int], None],
    ) -> list[Answer]:
        labels = self.configuration.labels
        model.config.pad_token_id = tokenizer.pad_token_id

        @torch.inference_mode()
        def answer(inputs: list[Sequence[int]]) -> list[Answer]:
            batch = read_by_encoder(inputs, tokenizer.pad_token_id)
            with device.autocast():
                logits = model(**{k: v.to(device.torch) for k, v in batch.items()}).logits
            shares = torch.softmax(logits.float(), dim=-1).tolist()
            return [
                Answer(labels[row.index(max(row))], dict(zip(labels, row, strict=True)))
                for row in shares
            ]

        encoded = tokens(tokenizer, texts, self.configuration.max_input_tokens)
        return in_batches(encoded, self.configuration.generation_batch_size, answer, after)


def read_by_encoder(inputs: Sequence[Sequence[int]], fill: int) -> dict[str, torch.Tensor]:
    return {
        "input_ids": padded(inputs, fill),
        "attention_mask": padded([[1] * len(one) for one in inputs], 0),
    }
