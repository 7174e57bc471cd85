"""Which examples a prompt has."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modeling.instances import Instance
from modeling.methods import Prompting, Selection
from modeling.reporting import RunFailure
from modeling.run_folder import Reason

Vectors = NDArray[np.float32]


@dataclass
class Examples:
    """`pool` has every instance of the pool's tuples, `train` those of all. Examples go the way of
    what is asked: forward ones for a forward instance."""

    pool: Sequence[Instance]
    train: Sequence[Instance]
    curated: Sequence[str]
    seed: int
    encode: Callable[[Sequence[str]], Vectors]
    _vectors: dict[str, Vectors] = field(default_factory=dict)

    def of(self, selection: Selection, count: int, asked: Instance) -> list[Instance]:
        """Raises RunFailure where there are too few."""
        found = {"curated": self._curated, "random": self._random, "nearest": self._nearest}
        examples = found[selection](count, asked)
        if len(examples) < count:
            raise RunFailure(Reason.NO_INSTANCES, f"train: {len(examples)} of {count}")
        return examples

    def learn_vectors(self, texts: Sequence[str]) -> None:
        """Of what will be asked, at once."""
        new = [*dict.fromkeys(text for text in texts if text not in self._vectors)]
        if new:
            rows = self.encode(new)
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
            self._vectors |= dict(zip(new, rows / np.maximum(norms, 1e-12), strict=True))

    def _candidates(self, asked: Instance) -> list[Instance]:
        return [
            one for one in self.pool if one.part == asked.part and one.tuple_key != asked.tuple_key
        ]

    def _curated(self, count: int, asked: Instance) -> list[Instance]:
        same = {one.tuple_key: one for one in self.train if one.part == asked.part}
        return [same[key] for key in self.curated[:count] if key in same]

    def _random(self, count: int, asked: Instance) -> list[Instance]:
        found = self._candidates(asked)
        return random.Random(f"{self.seed}:{asked.key}").sample(found, min(count, len(found)))

    def _nearest(self, count: int, asked: Instance) -> list[Instance]:
        """The nearest stands last, beside what is asked."""
        found = self._candidates(asked)
        self.learn_vectors([asked.text, *(one.text for one in found)])
        mine = self._vectors[asked.text]
        near = sorted(found, key=lambda one: float(self._vectors[one.text] @ mine), reverse=True)
        return near[:count][::-1]


def draw_pool(train: Sequence[Instance], configuration: Prompting, seed: int) -> list[Instance]:
    """The named tuples, else some at random. Raises RunFailure where a named one is missing."""
    by_tuple: Mapping[str, None] = dict.fromkeys(one.tuple_key for one in train)
    named = {*configuration.pool, *configuration.curated}
    if missing := sorted(named - set(by_tuple)):
        raise RunFailure(Reason.NO_INSTANCES, f"train: {missing[0]}")
    keys = set(configuration.pool)
    if not keys:
        size = min(configuration.pool_size, len(by_tuple))
        keys = set(random.Random(f"{seed}:pool").sample(sorted(by_tuple), size))
    return [one for one in train if one.tuple_key in keys]
