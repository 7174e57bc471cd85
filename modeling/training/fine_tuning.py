"""A run that fine-tunes a model and then has it answer the test instances."""

import math
import time
from collections.abc import Mapping
from typing import Any

import torch
import transformers

from modeling.instances import Instance
from modeling.methods import FineTuning, Generating
from modeling.reporting import Reporter, RunCancelled, RunFailure
from modeling.run_folder import Output, Reason, RunFolder, checkpoint_step
from modeling.training import checkpoints
from modeling.training.batches import by_length
from modeling.training.bertscore import score_generations
from modeling.training.device import Device, open_device
from modeling.training.figures import Figures
from modeling.training.kinds.kind import Example
from modeling.training.kinds.registry import kind_of
from modeling.training.loop import Learner, Losses, Schedule, loss_of, make_optimizer
from modeling.training.models import (
    Source,
    hash_of_weights,
    load_model,
    load_tokenizer,
    revision_of,
    source_of,
)

TRAINING, VALIDATING, GENERATING = "training", "validating", "generating"


def fine_tune(folder: RunFolder, configuration: FineTuning) -> Mapping[str, Any]:
    """Raises RunFailure, RunCancelled and TakenOver."""
    job = Job(folder, configuration, open_device(configuration.precision))
    job.train()
    if job.device.is_first:
        job.answer()
    return job.facts


class Job:
    """`facts` is what there is to say of the run; it grows."""

    def __init__(self, folder: RunFolder, configuration: FineTuning, device: Device) -> None:
        self.folder, self.configuration, self.device = folder, configuration, device
        self.seed: int = folder.config()["seed"]
        self.reporter, self.losses = Reporter(folder), Losses()
        self.figures = Figures(device)
        self.kind = kind_of(configuration)
        self.checkpoint = folder.latest_checkpoint()
        source = source_of(configuration, folder)
        if self.checkpoint:
            source = Source(str(self.checkpoint))
        # A new head begins with random weights.
        torch.manual_seed(self.seed)
        self.tokenizer = load_tokenizer(source)
        model = load_model(self.kind.auto, source, **self.kind.model_settings())
        model.config.pad_token_id = self.tokenizer.pad_token_id
        self.model = model.to(device.torch)
        self.origin = (
            checkpoints.origin_of(self.checkpoint)
            if self.checkpoint
            else {"model_revision": revision_of(model, source)}
        )
        self.validation: dict[str, Any] = {}
        self.facts: dict[str, Any] = self.origin | {
            "device": device.torch.type,
            "precision": device.precision,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        }

    def train(self) -> None:
        schedule = Schedule(self.configuration, self._examples("train"), self.seed)
        optimizer = make_optimizer(self.model, self.configuration)
        start = 0
        if self.checkpoint:
            start = checkpoint_step(self.checkpoint)
            checkpoints.restore_optimizer(self.checkpoint, optimizer, self.device.torch)
        fill = self.tokenizer.pad_token_id
        self.optimizer, self.steps = optimizer, schedule.steps
        Learner(self.model, self.kind, optimizer, self.device, schedule, fill).learn(
            start, self._after_step, self._after_epoch
        )
        self.facts["steps"] = schedule.steps

    def _after_step(self, step: int, loss: torch.Tensor) -> None:
        stopped = False
        if self.device.is_first:
            self.losses.add(step, loss)
            try:
                self._report(step, self.steps, TRAINING, loss=self.losses.mean)
            except RunCancelled:
                stopped = True
        stopped = self.device.agreed(stopped)
        if stopped or step % self.configuration.checkpoint_steps == 0 or step == self.steps:
            self._save(step)
        if stopped:
            raise RunCancelled

    def _after_epoch(self, step: int) -> None:
        self.losses.read()
        try:
            self._validate(step)
        except RunCancelled:
            self._save(step)
            raise

    def _save(self, step: int) -> None:
        if not self.device.is_first:
            return
        # Weights that are no numbers are not worth keeping.
        self.losses.read()
        checkpoints.save(
            self.folder,
            step,
            model=self.model,
            tokenizer=self.tokenizer,
            optimizer=self.optimizer,
            origin=self.origin,
        )
        self.checkpoint = self.folder.latest_checkpoint()

    @torch.inference_mode()
    def _validate(self, step: int) -> None:
        instances = list(self.folder.instances("validation"))
        if not instances or not self.device.is_first:
            return
        self.model.eval()
        examples = self.kind.examples(self.tokenizer, instances)
        self.validation = {"validation_loss": self._loss(examples)}
        if not math.isfinite(self.validation["validation_loss"]):
            raise RunFailure(Reason.NOT_A_NUMBER, str(step))
        metric, name = self.validation["validation_loss"], "validation loss"
        if self.kind.answers_quickly:
            metric, name = self._accuracy(instances), "accuracy"
            self.validation["validation_accuracy"] = metric
        told = {"step": step, "steps": self.steps, "phase": VALIDATING, "at": time.time()}
        self.folder.append_event(told | {"metric": metric, "metric_name": name})

    def _loss(self, examples: list[Example]) -> float:
        """The mean over examples."""
        total = 0.0
        size, fill = self.configuration.generation_batch_size, self.tokenizer.pad_token_id
        for places in by_length([one.length for one in examples], size):
            self.reporter.look_up()
            batch = [examples[place] for place in places]
            total += loss_of(self.model, self.kind, batch, fill, self.device).item() * len(batch)
        return total / len(examples)

    def _accuracy(self, instances: list[Instance]) -> float:
        answers = self.kind.answers(
            self.model,
            self.tokenizer,
            [one.text for one in instances],
            self.device,
            lambda _done: self.reporter.look_up(),
        )
        right = sum(a.text == one.target for a, one in zip(answers, instances, strict=True))
        return right / len(instances)

    def answer(self) -> None:
        """The test instances."""
        instances = list(self.folder.instances("test"))
        if not self.validation:
            # What goes on after the last epoch has not seen them.
            self._validate(self.steps)
        self.model.eval()
        torch.manual_seed(self.seed)
        answers = self.kind.answers(
            self.model,
            self.tokenizer,
            [one.text for one in instances],
            self.device,
            lambda done: self._report(done, len(instances), GENERATING),
        )
        assert self.checkpoint is not None
        self.facts["checkpoint_sha256"] = hash_of_weights(self.checkpoint)
        self.folder.write_generations(
            Output(one.key, answer.text, self.checkpoint.name, answer.details)
            for one, answer in zip(instances, answers, strict=True)
        )
        if isinstance(self.configuration, Generating):
            scorer = self.configuration.bertscore_model, self.configuration.bertscore_layer
            score_generations(self.folder, *scorer)
        self.facts |= self.validation

    def _report(self, step: int, steps: int, phase: str, **values: Any) -> None:
        self.reporter.step(step, steps, phase, **values, **self.figures.now())

    def _examples(self, split: str) -> list[Example]:
        instances = list(self.folder.instances(split))
        if not instances:
            raise RunFailure(Reason.NO_INSTANCES, split)
        return self.kind.examples(self.tokenizer, instances)
