import io
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from marketplace.models import AccessKey, Assignment
from tests.marketplace.factories import make_hit, make_hit_type, make_key, make_submitted

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

ClientFor = Callable[..., "MTurkClient"]
ONCE = {"total_max_attempts": 1}
ENDPOINT = "http://localhost:8000/mturk/"


def boto_client(
    endpoint_url: str, access_key_id: str, secret: str, retries: Any = ONCE
) -> "MTurkClient":
    """boto3 as it is, except that it leaves checking parameters to the marketplace."""
    return boto3.client(
        "mturk",
        endpoint_url=endpoint_url,
        region_name="us-east-1",
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret,
        config=Config(parameter_validation=False, retries=retries),
    )


@cache
def network() -> Client:
    """Made once: a new client would load every middleware again."""
    return Client()


class RawBody(io.BytesIO):
    def stream(self, **kwargs: Any) -> Any:
        yield self.read()


def answer_in_process(request: AWSPreparedRequest, **kwargs: Any) -> AWSResponse:
    """Stands in for the network only: the signed request goes through Django's handlers."""
    parts = urlsplit(request.url)
    sent: dict[str, Any] = dict(request.headers)
    headers = {n: v.decode() if isinstance(v, bytes) else str(v) for n, v in sent.items()}
    content_type = headers.pop("Content-Type")
    response = network().generic(
        "POST",
        parts.path,
        request.body,
        content_type=content_type,
        headers=headers | {"Host": parts.netloc},
    )
    received = HTTPHeaders()
    for name, value in response.headers.items():
        received[name] = value
    return AWSResponse(request.url, response.status_code, received, RawBody(response.content))


@pytest.fixture
def client_for(db: None) -> ClientFor:
    def make(key: AccessKey, retries: Any = ONCE) -> "MTurkClient":
        client = boto_client(ENDPOINT, key.access_key_id, key.secret_access_key, retries)
        events: Any = client.meta.events
        events.register("before-send", answer_in_process)
        return client

    return make


@pytest.fixture
def key(db: None) -> AccessKey:
    return make_key()


@pytest.fixture
def mturk(client_for: ClientFor, key: AccessKey) -> "MTurkClient":
    """A requester's boto3 client, its requests answered in this process."""
    return client_for(key)


@pytest.fixture
def mturk_over_http(live_server: LiveServer) -> "MTurkClient":
    """A requester's boto3 client that talks to a real server."""
    key = make_key()
    return boto_client(f"{live_server.url}/mturk/", key.access_key_id, key.secret_access_key)


@pytest.fixture
def submitted(key: AccessKey) -> Assignment:
    hit_type = make_hit_type(key.requester)
    make_hit(hit_type)
    return make_submitted(hit_type)
