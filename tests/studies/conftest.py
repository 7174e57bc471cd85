from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site

from marketplace.models import AccessKey
from studies import mturk
from tests.marketplace.factories import make_requester


@pytest.fixture
def boto(db: None) -> Iterator[Any]:
    """The one that we use, as a requester that the marketplace knows."""
    AccessKey.objects.create(
        requester=make_requester(),
        access_key_id=site.MTURK_ACCESS_KEY_ID,
        secret_access_key=site.MTURK_SECRET_ACCESS_KEY,
    )
    mturk.client_at.cache_clear()
    yield mturk.client()
    mturk.client_at.cache_clear()
