"""The marketplace does what it is asked, and its answer never arrives: boto3 asks again."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from django.conf import settings

from marketplace.models import AccessKey, QualificationType
from studies import mturk
from tests.marketplace.conftest import RawBody, answer_in_process
from tests.marketplace.factories import make_requester


@pytest.fixture
def client(db: None) -> Iterator[Any]:
    """The one that we use, as a requester that the marketplace knows."""
    AccessKey.objects.create(
        requester=make_requester(),
        access_key_id=settings.MTURK_ACCESS_KEY_ID,
        secret_access_key=settings.MTURK_SECRET_ACCESS_KEY,
    )
    mturk.client.cache_clear()
    yield mturk.client()
    mturk.client.cache_clear()


def test_a_qualification_type_whose_answer_was_lost_is_made_under_another_name(client: Any) -> None:
    lost: list[AWSResponse] = []

    def lose_the_first(request: AWSPreparedRequest, **kwargs: Any) -> AWSResponse:
        answer = answer_in_process(request, **kwargs)
        if lost:
            return answer
        lost.append(answer)
        return AWSResponse(request.url, 502, HTTPHeaders(), RawBody(b"{}"))

    client.meta.events.register("before-send", lose_the_first)

    made = mturk.create_qualification_type(name="Able", description="Able workers")

    assert lost[0].status_code == 200
    names = dict(QualificationType.objects.values_list("qualification_type_id", "name"))
    assert len(set(names.values())) == 2
    assert names[made].startswith("Able (")
