from collections.abc import Callable
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from pytest_django.live_server_helper import LiveServer

from marketplace.models import AccessKey
from tests.marketplace.factories import make_key

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

    ClientFor = Callable[..., MTurkClient]


@pytest.fixture
def client_for(live_server: LiveServer) -> "ClientFor":
    """An unmodified boto3 client that talks to the marketplace over HTTP."""

    def make(key: AccessKey, **changes: str) -> "MTurkClient":
        return boto3.client(
            "mturk",
            endpoint_url=f"{live_server.url}/mturk/",
            region_name=changes.get("region", "us-east-1"),
            aws_access_key_id=changes.get("access_key_id", key.access_key_id),
            aws_secret_access_key=changes.get("secret_access_key", key.secret_access_key),
            config=Config(
                parameter_validation=False,
                retries={"total_max_attempts": 1},
            ),
        )

    return make


@pytest.fixture
def key(live_server: LiveServer) -> AccessKey:
    return make_key()


@pytest.fixture
def mturk(client_for: "ClientFor", key: AccessKey) -> "MTurkClient":
    return client_for(key)
