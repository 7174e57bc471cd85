"""A causal model on the worker that goes on after prompts."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteria,
    StoppingCriteriaList,
)

from modeling.methods import LocalPrompting
from modeling.prompting.answers import Reply, Request
from modeling.run_folder import RunFolder
from modeling.training.device import open_device
from modeling.training.generation import generate
from modeling.training.models import load_model, load_tokenizer, source_of


class FrequencyPenalty(LogitsProcessor):
    """As endpoints have it: a token loses as much for each time it was written."""

    def __init__(self, penalty: float, prompt_tokens: int) -> None:
        self.penalty, self.prompt_tokens = penalty, prompt_tokens

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        written = input_ids[:, self.prompt_tokens :]
        counts = torch.zeros_like(scores).scatter_add_(
            1, written, torch.ones_like(written, dtype=scores.dtype)
        )
        return scores - self.penalty * counts


class Written(StoppingCriteria):
    """Whether the end of an answer has come; of each row by itself."""

    def __init__(self, tokenizer: Any, end: str, prompt_tokens: int) -> None:
        self.tokenizer, self.end, self.prompt_tokens = tokenizer, end, prompt_tokens

    def __call__(self, input_ids: Any, scores: Any, **given: Any) -> torch.Tensor:
        texts = self.tokenizer.batch_decode(input_ids[:, self.prompt_tokens :])
        # An answer may begin with it.
        ended = [self.end in text.lstrip() for text in texts]
        return torch.tensor(ended, device=input_ids.device)


class LocalModel:
    def __init__(self, configuration: LocalPrompting, folder: RunFolder) -> None:
        source = source_of(configuration, folder)
        self.configuration = configuration
        self.seed: int = folder.config()["seed"]
        self.device = open_device(configuration.precision)
        self.tokenizer = load_tokenizer(source)
        model = load_model(AutoModelForCausalLM, source)
        self.model = model.to(self.device.torch).eval()

    def body(self, prompt: str, end: str) -> dict[str, Any]:
        given = self.configuration
        return {
            "prompt": prompt,
            "stop": end,
            "temperature": given.temperature,
            "frequency_penalty": given.frequency_penalty,
            "max_tokens": given.max_new_tokens,
        }

    def answer(self, requests: Sequence[Request], keep: Callable[[Request, Reply], None]) -> None:
        """Those of a like length together."""
        order = sorted(requests, key=lambda one: len(one.body["prompt"]), reverse=True)
        size = self.configuration.generation_batch_size
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            torch.manual_seed(int(batch[0].key[:15], 16) + self.seed)
            for request, reply in zip(batch, self._answered(batch), strict=True):
                keep(request, reply)

    def _answered(self, requests: Sequence[Request]) -> list[Reply]:
        given = self.configuration
        inputs = self.tokenizer([one.body["prompt"] for one in requests])["input_ids"]
        width = -(-max(map(len, inputs)) // 8) * 8
        penalty = FrequencyPenalty(given.frequency_penalty, width)
        stop = Written(self.tokenizer, requests[0].body["stop"], width)
        texts = generate(
            self.model,
            self.tokenizer,
            inputs,
            self.device,
            logits_processor=LogitsProcessorList([penalty]),
            max_new_tokens=given.max_new_tokens,
            stopping_criteria=StoppingCriteriaList([stop]),
            **self._sampling(),
        )
        return [
            Reply(text, len(ids), len(self.tokenizer(text)["input_ids"]))
            for text, ids in zip(texts, inputs, strict=True)
        ]

    def _sampling(self) -> dict[str, Any]:
        temperature = self.configuration.temperature
        if not temperature:
            return {"do_sample": False}
        return {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
