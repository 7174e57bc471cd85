"""Ratings as they come, checked against their scale and coded by their place on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stats.coding import MISSING, Codes, code_numbers


class BadScale(ValueError):
    """A scale that is empty, unordered, or names a category twice."""


class OutOfScale(ValueError):
    """A rating that the scale does not have; it names the value, the item and the rater."""


class NotATable(ValueError):
    """Ratings or counts of a shape that they cannot have."""


class RatersUnknown(ValueError):
    """A coefficient that needs to know who rated what, asked of a table of counts."""


@dataclass(frozen=True)
class CountTable:
    """How often each item got each category: (n_items, Q). Who gave them is not known."""

    counts: ArrayLike


@dataclass(frozen=True)
class ContingencyTable:
    """Items by the category of the first rater (rows) and of the second: (Q, Q)."""

    counts: ArrayLike


@dataclass(frozen=True)
class RatingLists:
    """Of many raters with few ratings each: `ratings` (n_items, W) has those of each item side by
    side, what is left of a row NaN or None, and `raters` (n_items, W) says which of `n_raters` gave
    them. No item and no rater is without a rating."""

    ratings: NDArray[Any]
    raters: NDArray[np.int64]
    n_raters: int


# An array (n_items, n_raters), a missing rating NaN or None; or such lists; or a table that counts.
Ratings = ArrayLike | Sequence[Sequence[object]] | RatingLists | CountTable | ContingencyTable


@dataclass(frozen=True)
class Coded:
    """`codes` (rows, raters) and `times` (rows): how many items were rated like that row; one each
    where it is None. Where the columns are no raters, `lists` say who gave what."""

    codes: Codes
    times: NDArray[np.float64] | None = None
    raters_known: bool = True
    lists: RatingLists | None = None


def code_ratings(ratings: Ratings, *, categories: Sequence[Any]) -> Coded:
    """The scale is given, never taken from what is found.

    Raises BadScale, OutOfScale, NotATable.
    """
    check_scale(categories)
    if isinstance(ratings, CountTable):
        return _from_counts(ratings, len(categories))
    if isinstance(ratings, ContingencyTable):
        return _from_contingency(ratings, len(categories))
    if isinstance(ratings, RatingLists):
        return Coded(_codes(ratings.ratings, categories), lists=ratings)
    given = ratings if isinstance(ratings, np.ndarray) else np.asarray(ratings, dtype=object)
    if given.ndim != 2:
        raise NotATable(f"Ratings are items by raters; these have {given.ndim} dimensions.")
    return Coded(_codes(given, categories))


def check_scale(categories: Iterable[Any]) -> None:
    if not isinstance(categories, Sequence | np.ndarray) or isinstance(categories, str):
        raise BadScale("A scale is a list of categories, since their order counts.")
    if not len(categories):
        raise BadScale("A scale needs at least one category.")
    if len(set(categories)) < len(categories):
        raise BadScale("The scale names a category twice.")


def are_numbers(categories: Sequence[Any]) -> bool:
    return all(isinstance(one, int | float | np.number) for one in categories)


def _codes(given: NDArray[Any], categories: Sequence[Any]) -> Codes:
    if given.dtype.kind in "iuf" and are_numbers(categories):
        codes = code_numbers(given, np.asarray(categories, dtype=float))
        strange = codes == MISSING
        strange[strange] = given[strange] == given[strange]
    else:
        places = {category: place for place, category in enumerate(categories)}
        found = np.frompyfunc(lambda one: places.get(one, MISSING), 1, 1)(given.astype(object))
        codes = found.astype(np.int64)
        strange = codes == MISSING
        strange[strange] = [_is_present(one) for one in given[strange]]
    if strange.any():
        _name_stranger(given, strange, categories)
    return codes


def _is_present(rating: Any) -> bool:
    # NaN alone differs from itself.
    return rating is not None and bool(rating == rating)


def _name_stranger(given: Any, strange: Any, categories: Sequence[Any]) -> NoReturn:
    item, rater = np.argwhere(strange)[0]
    value = given[item, rater]
    if isinstance(value, np.generic):
        value = value.item()
    raise OutOfScale(
        f"{value!r} (item {item}, rater {rater}) is not on the scale "
        f"{', '.join(map(str, categories))}."
    )


def _from_counts(table: CountTable, q: int) -> Coded:
    counts = _checked_counts(table.counts)
    if counts.shape[1] != q:
        raise NotATable(f"The counts are of {counts.shape[1]} categories; the scale has {q}.")
    totals = counts.sum(axis=1)
    codes = np.full((len(counts), int(totals.max(initial=0))), MISSING)
    codes[np.arange(codes.shape[1]) < totals[:, None]] = np.repeat(
        np.tile(np.arange(q), len(counts)), counts.ravel()
    )
    return Coded(codes, raters_known=False)


def _from_contingency(table: ContingencyTable, q: int) -> Coded:
    counts = _checked_counts(table.counts)
    if counts.shape != (q, q):
        raise NotATable(f"The table is {counts.shape}; {q} categories need ({q}, {q}).")
    return Coded(np.argwhere(counts > 0), counts[counts > 0].astype(float))


def _checked_counts(given: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(given, dtype=float)
    if counts.ndim != 2:
        raise NotATable(f"A table of counts has two dimensions; this has {counts.ndim}.")
    if not ((counts >= 0) & (counts == np.round(counts))).all():
        raise NotATable("A count is no whole number from 0 up.")
    return counts.astype(np.int64)
