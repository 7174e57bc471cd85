"""Figures that take long to count are counted now and then, and say when they were.

However many people look, counting takes a tenth of one processor's time at most.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.cache import cache
from django.db.models import Model
from django.utils import timezone
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
T = TypeVar("T")
# What takes less is counted whenever it is asked for.
CHEAP_SECONDS = 1.0
TIMES_AS_LONG = 10


@dataclass(frozen=True)
class Counted(Generic[T]):
    """`counted_at` is None where the value was counted just now."""

    value: T
    counted_at: datetime | None = None


def counted(key: str, count: Callable[[], T]) -> Counted[T]:
    """The value of `count()`, or the one that is kept under this key."""
    kept: Counted[T] | None = _read(key)
    if kept is not None:
        return kept
    began = time.monotonic()
    fresh = Counted(count())
    seconds = time.monotonic() - began
    if seconds > CHEAP_SECONDS:
        _keep(key, replace(fresh, counted_at=timezone.now()), TIMES_AS_LONG * seconds)
    return fresh


def attach_counted(
    rows: Mapping[str, Model], name: str, count: Callable[[list[int]], Iterable[dict[str, Any]]]
) -> datetime | None:
    """Give each row the figures that `count` has for its `pk`, as attributes.

    The rows are given by an id that never names another. Returns when they were counted, if not
    just now.
    """
    identity = hashlib.sha256(",".join(rows).encode()).hexdigest()
    pks = [row.pk for row in rows.values()]
    found = counted(f"{name}:{identity}", lambda: {each.pop("pk"): each for each in count(pks)})
    for row in rows.values():
        vars(row).update(found.value[row.pk])
    return found.counted_at


def _read(key: str) -> Any:
    try:
        return cache.get(key)
    except RedisError as error:
        logger.warning("figures are counted, since none can be kept: %s", error)
        return None


def _keep(key: str, value: Counted[T], seconds: float) -> None:
    try:
        cache.set(key, value, seconds)
    except RedisError as error:
        logger.warning("figures could not be kept: %s", error)
