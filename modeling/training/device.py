"""Where a process computes, and in which precision."""

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import distributed

from modeling.methods import Precision


@dataclass(frozen=True)
class Device:
    """`rank` of `world` processes, one a GPU, that `accelerate launch` has started."""

    torch: torch.device
    precision: str
    rank: int = 0
    world: int = 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def autocast(self) -> AbstractContextManager[Any]:
        return torch.autocast(self.torch.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    def agreed(self, flag: bool) -> bool:
        """Whether it is so for any of the processes."""
        if self.world == 1:
            return flag
        told = torch.tensor(int(flag), device=self.torch)
        distributed.all_reduce(told, distributed.ReduceOp.MAX)
        return bool(told.item())


def open_device(precision: Precision) -> Device:
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    else:
        device = torch.device("cpu")
    if world > 1 and not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    chosen = precision
    if chosen == "auto":
        chosen = "bfloat16" if has_bfloat16(device) else "float32"
    return Device(device, chosen, rank, world)


def has_bfloat16(device: torch.device) -> bool:
    """In hardware. On others it is slower than what it replaces."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))
