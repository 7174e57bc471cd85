"""Whether any worker takes runs of a queue, as far as the cache knows."""

import logging
import time
from collections.abc import Iterable

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
NOTE_SECONDS = 5.0
GONE_SECONDS = 30
_noted = float("-inf")


def note_worker(queues: Iterable[str]) -> None:
    """Called often; it writes seldom."""
    global _noted
    now = time.monotonic()
    if now - _noted < NOTE_SECONDS:
        return
    _noted = now
    try:
        for queue in set(queues) & set(settings.RUN_QUEUES):
            cache.set(_key(queue), True, timeout=GONE_SECONDS)
    except RedisError as error:
        logger.warning("could not say that a worker is there (%s)", type(error).__name__)


def has_worker(queue: str) -> bool | None:
    """None where nobody can say."""
    try:
        return bool(cache.get(_key(queue)))
    except RedisError as error:
        logger.warning("nothing is known of the workers of runs (%s)", type(error).__name__)
        return None


def _key(queue: str) -> str:
    return f"runs-worker:{queue}"
