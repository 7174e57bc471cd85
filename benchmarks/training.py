"""The speed of training and generation, as ratios within one run; also by itself:
python -m benchmarks.training

Models have random weights. Times are the processor's, as of the statistics.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import pad
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from benchmarks.figures import Figure, as_table, interleaved
from modeling.instances import Instance, state_change, state_inference, story_revision
from modeling.methods import Causal, FineTuning, Generating, Seq2Seq
from modeling.run_folder import RunFolder
from modeling.training.device import Device, has_bfloat16
from modeling.training.fine_tuning import Job
from modeling.training.kinds.kind import Example, Kind
from modeling.training.kinds.registry import kind_of
from modeling.training.loop import Learner, Schedule, loss_of, make_optimizer
from modeling.training.models import Source, load_model, load_tokenizer
from tests.modeling import tiny

PADDED_TO = 128
CPU = Device(torch.device("cpu"), "float32")
STEPS = 16
WIDTH = 384


def measure_training(folder: Path, *, runs: int) -> list[Figure]:
    """Bfloat16 is left out, aloud, where the processor has none."""
    torch.set_num_threads(1)
    tuples = tiny.made_up_tuples(64)
    makers = (story_revision, state_change, state_inference)
    instances = [one for each in tuples for make in makers for one in make(each)]
    t5 = tiny.save_t5(folder / "t5", instances, width=WIDTH)
    llama = tiny.save_llama(folder / "llama", instances)
    figures = lengths(t5, instances, runs=runs)
    figures += loops(folder, t5, instances, runs=runs)
    figures += answers("T5", Seq2Seq, t5, AutoModelForSeq2SeqLM, instances, runs=runs)
    return figures + answers("causal", Causal, llama, AutoModelForCausalLM, instances, runs=runs)


def seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def learner(
    model: str, instances: Sequence[Instance], device: Device = CPU, **given: Any
) -> Learner:
    return learner_of(Seq2Seq(model=model, epochs=1, batch_size=8, **given), instances, device)


def learner_of(configuration: FineTuning, instances: Sequence[Instance], device: Device) -> Learner:
    """Its model is a folder."""
    kind, source = kind_of(configuration), Source(configuration.model)
    tokenizer = load_tokenizer(source)
    loaded = load_model(kind.auto, source, **kind.model_settings()).to(device.torch)
    schedule = Schedule(configuration, kind.examples(tokenizer, instances), seed=1)
    optimizer = make_optimizer(loaded, configuration)
    return Learner(loaded, kind, optimizer, device, schedule, tokenizer.pad_token_id)


def epoch(one: Learner) -> None:
    one.learn(0, lambda step, loss: None, lambda step: None)


def lengths(model: str, instances: Sequence[Instance], *, runs: int) -> list[Figure]:
    """From the plainest to all that a run does, one thing at a time."""
    few = instances[: STEPS * 8]
    plain = padded(learner(model, few, batching="shuffled"))
    slow = replace(plain, optimizer=plain_optimizer(plain))
    measures: dict[str, Callable[[], float]] = {
        f"padded to {PADDED_TO}, plain AdamW": partial(seconds, partial(epoch, slow)),
        f"padded to {PADDED_TO}, fused AdamW": partial(seconds, partial(epoch, plain)),
        "length buckets, fused AdamW": partial(seconds, partial(epoch, learner(model, few))),
    }
    if has_bfloat16(CPU.torch):
        halved = learner(model, few, replace(CPU, precision="bfloat16"))
        measures["length buckets, fused AdamW, bfloat16"] = partial(seconds, partial(epoch, halved))
    else:
        print("  bfloat16 was not run: the processor has none", file=sys.stderr)
    return interleaved(f"T5, {STEPS} steps of 8", "s", measures, runs=runs)


def padded(one: Learner) -> Learner:
    """What a fixed length costs: its examples are as long as the longest may be."""

    class Padded:
        def __getattr__(self, name: str) -> Any:
            return getattr(one.kind, name)

        def tensors(self, examples: Sequence[Example], fill: int) -> dict[str, torch.Tensor]:
            found = one.kind.tensors(examples, fill)
            fills = {"input_ids": fill, "attention_mask": 0, "labels": -100}
            return {
                name: pad(rows, (0, PADDED_TO - rows.shape[1]), value=fills[name])
                for name, rows in found.items()
            }

    kind: Any = Padded()
    return replace(one, kind=kind)


def plain_optimizer(one: Learner) -> torch.optim.Optimizer:
    return torch.optim.AdamW(one.model.parameters(), lr=1e-4, foreach=False, fused=False)


def loops(folder: Path, model: str, instances: Sequence[Instance], *, runs: int) -> list[Figure]:
    """A run with its events and looks for who wants to stop it, beside the bare loop."""
    configuration = Seq2Seq(model=model, epochs=1, batch_size=8, precision="float32")
    few = instances[: STEPS * 8]
    counted = iter(range(1_000_000))

    def ours() -> float:
        place: RunFolder = tiny.make_folder(
            folder / f"run-{next(counted)}", configuration, "story-revision", train=few
        )
        job = Job(place, configuration, CPU)
        # Its one checkpoint is no matter of the loop.
        job._save = lambda step: None  # type: ignore[method-assign]
        return seconds(job.train)

    def bare() -> float:
        one = learner(model, few)
        return seconds(partial(bare_loop, one))

    return interleaved(
        f"a run's loop, {STEPS} steps of 8", "s", {"bare": bare, "Fabula": ours}, runs=runs
    )


def bare_loop(one: Learner) -> None:
    one.model.train()
    for batch in one.schedule.epoch(0):
        examples = [one.schedule.examples[place] for place in batch]
        torch.autograd.backward(loss_of(one.model, one.kind, examples, one.fill, CPU))
        torch.nn.utils.clip_grad_norm_(one.model.parameters(), 1.0)
        one.optimizer.step()
        one.optimizer.zero_grad()


def answers(
    name: str,
    method: type[Generating],
    model: str,
    auto: Any,
    instances: Sequence[Instance],
    *,
    runs: int,
) -> list[Figure]:
    source = Source(model)
    loaded, tokenizer = load_model(auto, source).eval(), load_tokenizer(source)
    texts = [one.text for one in instances[:32]]

    def work(size: int) -> list[str]:
        configuration = method(
            model=model, decoding="greedy", max_new_tokens=24, generation_batch_size=size
        )
        kind: Kind = kind_of(configuration)
        found = kind.answers(loaded, tokenizer, texts, CPU, lambda done: None)
        return [one.text for one in found]

    if work(1) != work(32):
        raise AssertionError(f"{name}: one by one and together, other texts came out.")
    measures: dict[str, Callable[[], float]] = {
        "one by one": partial(seconds, partial(work, 1)),
        "32 at once": partial(seconds, partial(work, 32)),
    }
    return interleaved(f"{name}, 32 answers", "s", measures, runs=runs)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(as_table(measure_training(Path(name), runs=5)))
