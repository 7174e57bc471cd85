"""How many messages wait in the broker."""

import logging
from collections.abc import Iterator

import redis
from django.conf import settings
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

logger = logging.getLogger(__name__)


def broker_families() -> Iterator[Metric]:
    queues = [settings.CELERY_TASK_DEFAULT_QUEUE, *settings.RUN_QUEUES]
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **settings.REDIS_PATIENCE) as client:
            depths = {queue: client.llen(queue) for queue in queues}
    except (redis.RedisError, OSError, ValueError) as error:
        logger.warning("no figures: the broker does not answer (%s)", type(error).__name__)
        depths = {}
    yield GaugeMetricFamily("fabula_broker_up", "Whether the broker answers.", value=bool(depths))
    messages = GaugeMetricFamily(
        "fabula_broker_messages", "Messages that no job worker has taken yet.", labels=["queue"]
    )
    for queue, depth in depths.items():
        messages.add_metric([queue], depth)
    yield messages
