"""Numbers coded by their place on a scale, some rows at a time."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stats.tables import Vector, blocks

# Of any shape: the place of each rating's category on the scale.
Codes = NDArray[np.signedinteger]
MISSING = -1
# A scale of whole numbers is looked up in a table as long as it spans.
MOST_SPAN = 2**14


def code_numbers(given: NDArray[Any], scale: Vector) -> Codes:
    """Of numbers (N, R); MISSING for what the scale does not have."""
    code = _coder(scale)
    codes = np.empty(given.shape, dtype=np.int16 if len(scale) < MOST_SPAN else np.int64)
    for rows in blocks(*given.shape):
        codes[rows] = code(given[rows].astype(float, copy=False))
    return codes


def _coder(scale: Vector) -> Callable[[Vector], Codes]:
    low, span = scale.min(), scale.max() - scale.min()
    if span >= MOST_SPAN or (scale != np.round(scale)).any():
        order = np.argsort(scale)
        return partial(_by_search, ordered=scale[order], order=order)
    # The last place is MISSING's.
    table = np.full(int(span) + 2, MISSING, dtype=np.int16)
    table[(scale - low).astype(int)] = np.arange(len(scale))
    steps = np.array_equal(table[:-1], np.arange(len(table) - 1))
    return partial(_by_table, low=low, table=table, steps=steps)


def _by_table(numbers: Vector, *, low: float, table: Codes, steps: bool) -> Codes:
    """`steps`: the scale goes up by one, so that the table says what one knows."""
    shifted = numbers - low
    with np.errstate(invalid="ignore"):
        whole = shifted.astype(np.int16)
    on, span = whole == shifted, len(table) - 2
    if not on.all() or whole.min(initial=0) < 0 or whole.max(initial=0) > span:
        whole = np.where(on & (whole >= 0) & (whole <= span), whole, MISSING)
    return whole if steps else table[whole]


def _by_search(numbers: Vector, *, ordered: Vector, order: Codes) -> Codes:
    nearest = np.searchsorted(ordered, numbers).clip(max=len(ordered) - 1)
    return np.where(ordered[nearest] == numbers, order[nearest], MISSING)
