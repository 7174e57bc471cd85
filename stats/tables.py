"""Tables of numbers: arrays where they are small, sparse where that saves memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, issparse

Vector = NDArray[np.float64]
# An array or a csr_array: both know @, slices of rows and shape.
Table: TypeAlias = Any
MOST_DENSE = 2**13
# Numbers worked on at a time: they stay near the processor, and memory is not asked for anew.
BLOCK = 2**15


def blocks(rows: int, width: int, *, numbers: int = BLOCK) -> Iterator[slice]:
    """Parts of a table of so many rows and columns."""
    step = max(1, numbers // max(1, width))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def table_from(values: Vector, rows: Any, columns: Any, shape: tuple[int, int]) -> Table:
    """What stands at each row and column, summed where several do."""
    if shape[0] * shape[1] > MOST_DENSE:
        table = csr_array((values, (rows, columns)), shape=shape)
        table.sum_duplicates()
        return table
    cells = np.bincount(rows * shape[1] + columns, weights=values, minlength=shape[0] * shape[1])
    return cells.reshape(shape).astype(float)


def beside(first: Table, second: Table) -> Table:
    """The columns of both."""
    if issparse(first) or issparse(second):
        return csr_array(hstack([csr_array(first), csr_array(second)]))
    return np.hstack([first, second])


def rows_times(table: Table, factors: Vector) -> Table:
    """Each row times its factor."""
    if issparse(table):
        return csr_array(table.multiply(factors[:, None]))
    return table * factors[:, None]


@dataclass(frozen=True)
class Pairs:
    """Every two cells of one row that are not 0, a cell with itself, too: their `row`, columns
    `first` and `second`, and the product of what stands in them."""

    row: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: Vector


def pairs_of(table: csr_array) -> Pairs:
    filled = np.diff(table.indptr)
    row_of = np.repeat(np.arange(len(filled)), filled)
    partners = filled[row_of]
    first = np.repeat(np.arange(table.nnz), partners)
    before = np.repeat(np.cumsum(partners) - partners, partners)
    row = row_of[first]
    second = table.indptr[row] + np.arange(len(first)) - before
    columns = table.indices.astype(np.int64)
    products = table.data[first] * table.data[second]
    return Pairs(row, columns[first], columns[second], products)


def dense(table: Table) -> Vector:
    array: Vector = table.toarray() if issparse(table) else table
    return array
