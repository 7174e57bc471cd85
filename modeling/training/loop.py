"""The loop of fine-tuning.

A step depends on the seed, its number and the weights before it, and on nothing else: what goes on
from a checkpoint comes to the same weights, on a processor bit by bit.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from modeling.methods import FineTuning
from modeling.reporting import RunFailure
from modeling.run_folder import Reason
from modeling.training.batches import batches, share_of
from modeling.training.device import Device
from modeling.training.kinds.kind import Example, Kind

# Reading a loss waits for the device.
READ_EVERY_SECONDS = 0.5
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Schedule:
    """When what is learnt, and how fast."""

    configuration: FineTuning
    examples: Sequence[Example]
    seed: int

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil(len(self.examples) / self.configuration.batch_size)

    @property
    def steps(self) -> int:
        return self.steps_per_epoch * self.configuration.epochs

    def epoch(self, number: int) -> list[list[int]]:
        return batches(
            [one.length for one in self.examples],
            size=self.configuration.batch_size,
            seed=self.seed,
            epoch=number,
            buckets=self.configuration.batching == "buckets",
        )

    def rate(self, step: int) -> float:
        """Of the step with this number, from 0 on."""
        warm = math.ceil(self.configuration.warm_up * self.steps)
        if step < warm:
            return self.configuration.learning_rate * (step + 1) / warm
        if self.configuration.schedule == "constant":
            return self.configuration.learning_rate
        return self.configuration.learning_rate * (self.steps - step) / max(1, self.steps - warm)


class Losses:
    """Kept on the device until they are read."""

    def __init__(self) -> None:
        self.mean = math.nan
        self._waiting: list[tuple[int, torch.Tensor]] = []
        self._read_at = float("-inf")

    def add(self, step: int, loss: torch.Tensor) -> None:
        """Raises RunFailure once one is not a number."""
        self._waiting.append((step, loss))
        if time.monotonic() - self._read_at >= READ_EVERY_SECONDS:
            self.read()

    def read(self) -> None:
        if not self._waiting:
            return
        values = torch.stack([loss for _step, loss in self._waiting]).tolist()
        for (step, _loss), value in zip(self._waiting, values, strict=True):
            if not math.isfinite(value):
                raise RunFailure(Reason.NOT_A_NUMBER, str(step))
        self.mean = sum(values) / len(values)
        self._waiting.clear()
        self._read_at = time.monotonic()


def make_optimizer(model: Any, configuration: FineTuning) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        model.parameters(),
        lr=configuration.learning_rate,
        weight_decay=configuration.weight_decay,
        fused=True,
    )


@dataclass(frozen=True)
class Learner:
    """A model with all that a step needs."""

    model: Any
    kind: Kind
    optimizer: torch.optim.Optimizer
    device: Device
    schedule: Schedule
    fill: int

    def learn(
        self,
        start: int,
        after_step: Callable[[int, torch.Tensor], None],
        after_epoch: Callable[[int], None],
    ) -> None:
        """From the step after `start` to the last. `after_epoch` hears the step that ended it."""
        model = self.model
        if self.device.world > 1:
            model = DistributedDataParallel(model)
        model.train()
        per_epoch = self.schedule.steps_per_epoch
        for epoch in range(start // per_epoch, self.schedule.configuration.epochs):
            first = epoch * per_epoch
            for step, batch in enumerate(self.schedule.epoch(epoch), first):
                if step >= start:
                    after_step(step + 1, self._step(model, step, batch))
            after_epoch(first + per_epoch)
            model.train()

    def _step(self, model: Any, step: int, batch: list[int]) -> torch.Tensor:
        device, configuration = self.device, self.schedule.configuration
        torch.manual_seed(hash((self.schedule.seed, step, device.rank)) & LARGEST_SEED)
        mine = share_of(batch, device.rank, device.world)
        count = min(configuration.pieces, len(mine))
        total = torch.zeros((), device=device.torch)
        for number in range(count):
            piece = mine[number::count]
            loss = self.loss(model, piece) * (len(piece) / len(mine))
            loss.backward()
            total += loss.detach()
        if configuration.largest_gradient:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), configuration.largest_gradient)
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.rate(step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        if device.world > 1:
            distributed.all_reduce(total)
        return total / device.world

    def loss(self, model: Any, places: Sequence[int]) -> torch.Tensor:
        return loss_of(
            model, self.kind, [self.schedule.examples[n] for n in places], self.fill, self.device
        )


def loss_of(
    model: Any, kind: Kind, examples: Sequence[Example], fill: int, device: Device
) -> torch.Tensor:
    tensors = kind.tensors(examples, fill)
    with device.autocast():
        loss: torch.Tensor = model(
            **{name: one.to(device.torch, non_blocking=True) for name, one in tensors.items()}
        ).loss
    return loss
