"""Many Poisson numbers of the same few means, by inversion with a guide table.

Chen and Asau (1974), On generating random variates from an empirical distribution. The
distributions lie one behind the other, each on an interval of length 1 that is cut into equal
places. Most places lie between two steps and stand for one number; a uniform number that falls into
another place is looked up among the steps.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stats.tables import Vector

Integers = NDArray[np.int64]
BITS = 11
PLACES = 2**BITS
# With more steps, or more tables, numpy's own draws cost less than making these.
MOST_STEPS, MOST_MEANS = 2**16, 256
OPEN = -1


class PoissonDraws:
    """Of `means` (M)."""

    def __init__(self, means: Vector) -> None:
        self.means = means
        spread = 8 * np.sqrt(means) + 16
        lowest = np.maximum(0, means - spread).astype(np.int64)
        widths = (means + spread).astype(np.int64) - lowest
        self.guided = len(means) <= MOST_MEANS and widths.sum() <= MOST_STEPS
        if self.guided:
            self.numbers = _runs(lowest, widths).astype(np.int32)
            self.steps = _chances(means, self.numbers, widths).cumsum()
            self.starts = np.arange(len(means), dtype=np.int32) * PLACES
            self.guide = self._guide()

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.integer[Any]]:
        """So many of each mean: (size, M)."""
        shape = (size, len(self.means))
        if not self.guided:
            drawn: NDArray[np.int64] = rng.poisson(self.means, shape)
            return drawn
        places = _places(rng, size * len(self.means)).reshape(shape) + self.starts
        found: NDArray[np.int32] = self.guide.take(places)
        unsure = np.flatnonzero(found == OPEN)
        uniform = (places.ravel()[unsure] + rng.random(len(unsure))) / PLACES
        steps = self.steps.searchsorted(uniform, side="right")
        found.ravel()[unsure] = self.numbers.take(steps, mode="clip")
        return found

    def _guide(self) -> NDArray[np.int32]:
        """The number that each place stands for, or OPEN."""
        places = len(self.means) * PLACES
        place_of = np.minimum(self.steps * PLACES, places).astype(np.int64)
        place_of[-1] = places
        guide = np.repeat(self.numbers, np.diff(place_of, prepend=0))
        guide[place_of[place_of < places]] = OPEN
        return guide


def _places(rng: np.random.Generator, count: int) -> NDArray[np.uint16]:
    """Four from each number of 64 random bits."""
    bits = rng.integers(2**64, size=-(-count // 4), dtype=np.uint64)
    return bits.view(np.uint16)[:count] >> np.uint16(16 - BITS)


def _runs(firsts: Integers, lengths: Integers) -> Integers:
    """Numbers from each first one on, one run behind the other."""
    return np.arange(lengths.sum()) + np.repeat(firsts - (lengths.cumsum() - lengths), lengths)


def _chances(means: Vector, numbers: NDArray[np.int32], widths: Integers) -> Vector:
    """How likely each number is for its mean; those of a mean sum to 1."""
    logs = np.log(np.arange(1.0, numbers.max() + 1))
    log_factorials = np.concatenate([[0.0], logs.cumsum()])
    exponents = numbers * np.repeat(np.log(means), widths) - log_factorials[numbers]
    chances = np.exp(exponents - np.repeat(means, widths))
    sums = np.add.reduceat(chances, widths.cumsum() - widths)
    found: Vector = chances / np.repeat(sums, widths)
    return found
