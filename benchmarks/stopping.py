"""A run that is cancelled and resumed, beside one that was never stopped."""

import time
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.figures import Figure, summary
from benchmarks.shapes import Shape, instances_for
from modeling.methods import FineTuning
from modeling.reporting import RunCancelled
from modeling.run_folder import RunFolder, checkpoint_step
from modeling.training.device import open_device
from modeling.training.fine_tuning import Job
from tests.modeling.tiny import make_folder

Weights = dict[str, torch.Tensor]


class WatchedJob(Job):
    """Somebody asks it to stop after step `ask_after`; 0 for nobody."""

    ask_after = 0
    asked_at = first_step_at = 0.0

    def _after_step(self, step: int, loss: torch.Tensor) -> None:
        self.first_step_at = self.first_step_at or time.perf_counter()
        super()._after_step(step, loss)
        if step == self.ask_after:
            self.asked_at = time.perf_counter()
            self.folder.request_cancel()


def measure_stopping(
    path: Path, task: str, shape: Shape, configuration: FineTuning, steps: int
) -> list[Figure]:
    half = max(1, steps // 2)
    train = instances_for(task, steps * configuration.batch_size)
    configuration = replace(configuration, checkpoint_steps=10 * steps)

    def folder(name: str) -> RunFolder:
        return make_folder(path / name, configuration, task, train=train)

    never_stopped = weights_after(begin(folder("whole"), configuration))
    stopped = folder("stopped")
    step, stop_seconds = stop(begin(stopped, configuration), ask_after=half)
    stopped.claim("resumed")
    resumed_at = time.perf_counter()
    resumed = begin(stopped, configuration)
    weights = weights_after(resumed)
    found = {
        "steps until it stopped": step - half,
        "s until its checkpoint was whole": stop_seconds,
        "s from there to its next step": resumed.first_step_at - resumed_at,
        "millionths, largest difference of a weight": 1e6 * difference(never_stopped, weights),
    }
    return [
        summary(shape.name, f"{task}, cancel", unit, [value], value or 1.0)
        for unit, value in found.items()
    ]


def begin(folder: RunFolder, configuration: FineTuning) -> WatchedJob:
    return WatchedJob(folder, configuration, open_device(configuration.precision))


def weights_after(job: Job) -> Weights:
    """Beside the device's memory, where the next job needs room."""
    job.train()
    return {name: one.cpu() for name, one in job.model.state_dict().items()}


def stop(job: WatchedJob, *, ask_after: int) -> tuple[int, float]:
    """The step that it stopped after, and the seconds until all of it was kept."""
    job.ask_after = ask_after
    try:
        job.train()
    except RunCancelled:
        taken = time.perf_counter() - job.asked_at
        assert job.checkpoint is not None
        return checkpoint_step(job.checkpoint), taken
    raise AssertionError("It was asked to stop, and went on to its end.")


def difference(left: Weights, right: Weights) -> float:
    return max((one.float() - right[name].float()).abs().max().item() for name, one in left.items())
