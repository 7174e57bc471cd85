"""Which examples a step learns from: a pure function of the seed, so that nothing has to be kept to
go on in the middle of an epoch."""

import random
from collections.abc import Sequence
from typing import Any

# Within so many batches texts are sorted: enough for little padding, and every epoch is different.
POOL = 50


def batches(
    lengths: Sequence[Any], *, size: int, seed: int, epoch: int, buckets: bool
) -> list[list[int]]:
    """Positions in `lengths`, each once, `size` a batch (the last may have fewer). With `buckets`,
    examples of a like length come together."""
    draw = random.Random(f"{seed}:{epoch}")
    order = list(range(len(lengths)))
    draw.shuffle(order)
    if buckets:
        pools = (order[start : start + POOL * size] for start in range(0, len(order), POOL * size))
        order = [place for pool in pools for place in sorted(pool, key=lengths.__getitem__)]
    cut = [order[start : start + size] for start in range(0, len(order), size)]
    draw.shuffle(cut)
    return cut


def by_length(lengths: Sequence[Any], size: int) -> list[list[int]]:
    """The longest first: what does not fit into memory shows at once."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[start : start + size] for start in range(0, len(order), size)]


def share_of(batch: list[int], rank: int, world: int) -> list[int]:
    """What one of several processes learns from. Each gets something, since all have to take part
    in every step: where a batch is too small, its first example once more."""
    return batch[rank::world] or batch[:1]
