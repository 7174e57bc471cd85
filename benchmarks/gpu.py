"""Fine-tuning on a GPU, by itself: python -m benchmarks.gpu

Models of published shapes with random weights learn at the batch sizes of their presets. The peak
is what this device does in one large product of matrices; arithmetic on padding counts as done.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.figures import Figure, as_json, as_table, summary
from benchmarks.shapes import LARGE, SMALL, Shape, instances_for
from benchmarks.stopping import measure_stopping
from benchmarks.training import learner_of
from modeling.methods import FineTuning
from modeling.presets import PRESETS, preset
from modeling.training.device import Device, open_device
from modeling.training.figures import RSS_UNIT
from modeling.training.loop import Learner

# A model, and what it learns.
Case = tuple[Shape, str]
GIB, TERA = 2.0**30, 1e12
FEWEST_STEPS = 3
NO_GPU = (
    "This machine has no GPU that PyTorch can use, so nothing was measured. To see that the "
    "measurements run, with small models on the processor: python -m benchmarks.gpu --small"
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--small", action="store_true", help="small models, on whatever is here")
    parser.add_argument("--steps", type=int, default=30, metavar="N")
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    given = parser.parse_args()
    if not (given.small or torch.cuda.is_available()):
        parser.exit(1, f"{NO_GPU}\n")
    if given.steps < FEWEST_STEPS:
        parser.error(f"--steps: {FEWEST_STEPS} or more, for a stop between them")
    shapes = SMALL if given.small else LARGE
    with tempfile.TemporaryDirectory() as name:
        figures = measure(Path(name), cases_of(shapes), steps=given.steps, runs=given.runs)
    print(f"{name_of(open_device('auto'))}, PyTorch {torch.__version__}")
    print(as_table(figures))
    print(as_json(figures))
    return 0


def name_of(device: Device) -> str:
    where = "processor"
    if device.torch.type == "cuda":
        where = torch.cuda.get_device_name(device.torch)
    return f"{where}, {device.precision}"


def cases_of(shapes: Sequence[Shape]) -> list[Case]:
    return [(shape, task) for shape in shapes for task in PRESETS[shape.preset].by_task]


def measure(folder: Path, cases: Sequence[Case], *, steps: int, runs: int) -> list[Figure]:
    # As in a run's process.
    torch.set_num_threads(1)
    device = open_device("auto")
    peak = peak_flops(device, runs=runs)
    figures = [summary("the device", "one large product", "TFLOP/s", [peak / TERA], peak / TERA)]
    for shape, task in cases:
        place = folder / shape.preset / task
        configuration = preset(shape.preset, task, model=shape.save(place / "model"), epochs=1)
        assert isinstance(configuration, FineTuning)
        figures += measure_steps(task, shape, configuration, device, peak, steps, runs)
        figures += measure_stopping(place, task, shape, configuration, steps)
        # Checkpoints of large models fill a disk.
        rmtree(place)
    return figures


def peak_flops(device: Device, *, runs: int) -> float:
    size = 8192 if device.torch.type == "cuda" else 512
    kind = torch.bfloat16 if device.precision == "bfloat16" else torch.float32
    left, right = (torch.randn(size, size, device=device.torch, dtype=kind) for _ in range(2))
    times = [seconds(device, lambda: torch.mm(left, right)) for _ in range(runs + 1)]
    return float(2 * size**3 / min(times[1:]))


def measure_steps(
    task: str,
    shape: Shape,
    configuration: FineTuning,
    device: Device,
    peak: float,
    steps: int,
    runs: int,
) -> list[Figure]:
    """The first pass warms up, and counts the arithmetic."""
    instances = instances_for(task, steps * configuration.batch_size)
    one = learner_of(configuration, instances, device)
    counter = FlopCounterMode(display=False)
    with counter:
        learn(one)
    flops = counter.get_total_flops()
    if device.torch.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device.torch)
    times = [seconds(device, partial(learn, one)) for _ in range(runs)]
    found = {
        "examples/s": [len(instances) / taken for taken in times],
        "TFLOP/s": [flops / taken / TERA for taken in times],
        "% of the peak": [100 * flops / taken / peak for taken in times],
        "GiB, most": [memory_bytes(device) / GIB],
    }
    name = f"{task}, {configuration.batch_size} at once"
    return [
        summary(shape.name, name, unit, values, sorted(values)[len(values) // 2])
        for unit, values in found.items()
    ]


def learn(one: Learner) -> None:
    one.learn(0, lambda step, loss: None, lambda step: None)


def seconds(device: Device, work: Callable[[], Any]) -> float:
    """Until the device has done it: a GPU is only told what to do."""
    wait_for(device)
    started = time.perf_counter()
    work()
    wait_for(device)
    return time.perf_counter() - started


def wait_for(device: Device) -> None:
    if device.torch.type == "cuda":
        torch.cuda.synchronize(device.torch)


def memory_bytes(device: Device) -> int:
    """Of a GPU since it was last asked, else of the process in all its life."""
    if device.torch.type == "cuda":
        return torch.cuda.max_memory_allocated(device.torch)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


if __name__ == "__main__":
    raise SystemExit(main())
