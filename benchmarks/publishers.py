"""HITs published by several of a requester's clients at once."""

import secrets
import time
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings

from tests.marketplace.conftest import boto_client
from tests.marketplace.factories import QUESTION
from tests.stack import Stack


def publish(stack: Stack, *, publishers: int, hits: int) -> float:
    """HITs a second through boto3, each with its own token."""
    clients = [
        boto_client(
            f"{stack.worker_site_url}/mturk/",
            settings.MTURK_ACCESS_KEY_ID,
            settings.MTURK_SECRET_ACCESS_KEY,
        )
        for _ in range(publishers)
    ]
    hit_type = clients[0].create_hit_type(
        Title="Read five sentences",
        Description="Say what is true of someone in a short story.",
        Reward="0.10",
        AssignmentDurationInSeconds=1800,
    )["HITTypeId"]

    def publish_some(number: int) -> int:
        for _ in range(hits // publishers):
            clients[number].create_hit_with_hit_type(
                HITTypeId=hit_type,
                LifetimeInSeconds=86400,
                Question=QUESTION,
                UniqueRequestToken=secrets.token_hex(16),
            )
        return hits // publishers

    started = time.perf_counter()
    with ThreadPoolExecutor(publishers) as pool:
        made = sum(pool.map(publish_some, range(publishers)))
    return made / (time.perf_counter() - started)
