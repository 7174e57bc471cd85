"""A broker that is away costs whoever waits for a page a few seconds, and nothing else."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

PATIENCE_SECONDS = 8


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Takes connections and never says a word, as a host behind a broken network does."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)
        yield listening.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
    return port


def app_at(port: int) -> Celery:
    app = Celery("broker-away", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    app.conf.update(broker_url=f"redis://127.0.0.1:{port}/0", task_always_eager=False)
    return app


def seconds_until_given_up(port: int) -> float:
    app = app_at(port)
    began = time.monotonic()
    with pytest.raises(OperationalError):
        app.send_task("studies.run_job", args=[1])
    return time.monotonic() - began


@pytest.mark.timeout(30)
def test_a_broker_that_does_not_answer_is_given_up_within_seconds(silent_port: int) -> None:
    assert seconds_until_given_up(silent_port) < PATIENCE_SECONDS


def test_a_broker_that_is_not_there_is_given_up_at_once(closed_port: int) -> None:
    assert seconds_until_given_up(closed_port) < 2


@pytest.mark.timeout(30)
def test_a_cache_that_does_not_answer_is_given_up_within_seconds(silent_port: int) -> None:
    default: Any = settings.CACHES["default"]
    cache = RedisCache(
        f"redis://127.0.0.1:{silent_port}/0", {"OPTIONS": default.get("OPTIONS", {})}
    )
    began = time.monotonic()

    with pytest.raises(RedisError):
        cache.get("anything")

    assert time.monotonic() - began < PATIENCE_SECONDS


class WaitedLong(Exception):
    """As long as a test cares to."""


def test_a_worker_and_beat_wait_for_it_however_long(closed_port: int) -> None:
    """Celery's own limit, 100 tries, is reached within an hour; both end then."""
    app = app_at(closed_port)
    tries = iter(range(300))

    def note(error: Exception, interval: float) -> None:
        if next(tries, None) is None:
            raise WaitedLong

    with pytest.raises(WaitedLong):
        app.connection().ensure_connection(note, app.conf.broker_connection_max_retries, 0, 0, 0)
