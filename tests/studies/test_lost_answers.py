"""The marketplace does what it is asked, and its answer arrives in part or not at all."""

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


def test_an_answer_that_broke_off_is_not_taken_for_an_empty_one(client: Any) -> None:
    def break_off(request: AWSPreparedRequest, **kwargs: Any) -> AWSResponse:
        answer = answer_in_process(request, **kwargs)
        promised = HTTPHeaders()
        promised["Content-Length"] = str(len(answer.content))
        return AWSResponse(request.url, 200, promised, RawBody(answer.content[:10]))

    client.meta.events.register("before-send", break_off)

    with pytest.raises(mturk.MarketplaceUnavailable):
        list(mturk.published_hits())
